import type { MirrorRecord } from '../wire';
import { askService } from './ask-service';
import { count } from './counters';
import { requestUrl, requireVariables } from './request-text';
import { addClientCertificate, addClientFields, createFields, fieldLines, isLine, setField } from './service-headers';
import { createRareLine, timesToTell } from './rare-line';
import type { KeptConnections, ServiceRequest } from './service-exchange';

export interface Mirror {
  readonly record: MirrorRecord;
}

/** Nobody waits for the answers to copies. Idle for less than what servers usually allow. */
const KEPT: KeptConnections = { pool: 'mirror', connections: 64, requests: 1000, idleMilliseconds: 30_000 };
/** Milliseconds to connect, send and wait for more of the answer, which nobody reads. */
const TIMEOUTS = [1000, 5000, 10_000] as const;
/** Copies that one worker has under way at a time; what comes on top is dropped, so that mirrors can't take its memory. */
const MOST_COPIES = 512;
/** Of them those whose body is in a file: each is an open file besides the connection, and room on the disk. */
const MOST_FILES = 64;
/** Bytes of bodies that one worker keeps for copies; a larger one is copied where it is the only one. */
const MOST_BODY_BYTES = 67_108_864;
/** Milliseconds for one copy, however it goes. */
const LONGEST_COPY = 10_000;
const SWITCHING_PROTOCOLS = 101;

interface Copy {
  readonly backend: string;
  readonly request: ServiceRequest;
  readonly bodyBytes: number;
}

let underWay = 0;
let openFiles = 0;
let bodyBytes = 0;
const losses = createRareLine();

/** Raises an error for a record that can't be sent by: its host is then closed. */
export function compileMirrors(records: readonly MirrorRecord[]): readonly Mirror[] {
  const mirrors: Mirror[] = [];
  for (const record of records) {
    const { path, host } = record;
    if (path !== undefined && (string.byte(path) !== 47 || string.find(path, '[%c%s]')[0] !== undefined)) {
      error('the path of a mirror does not begin with a slash or has a space', 0);
    }
    requireVariables(path ?? '');
    if (host !== undefined && !isLine(host)) {
      error('the host of a mirror has more than one line', 0);
    }
    mirrors.push({ record });
  }
  return mirrors;
}

function isChosen({ fraction }: MirrorRecord): boolean {
  return fraction === undefined || math.random() * fraction[1] < fraction[0];
}

function noteFailure(problem: string): void {
  count('mirrorLost');
  const times = timesToTell(losses);
  if (times !== undefined) {
    const lost = times === 1 ? ' copy for a mirror was lost: ' : ' copies for mirrors were lost, the last because ';
    ngx.log(ngx.WARN, 'weir: ', times, lost, problem);
  }
}

/** Header fields as the backend got them, with weir's own among them. `scheme`: the client's. */
function copyHead(record: MirrorRecord, scheme: string, bodyBytes: number | undefined): string {
  const clientHost = ngx.var.weir_client_host ?? '';
  const address = ngx.var.remote_addr ?? '';
  const fields = createFields();
  addClientFields(fields, undefined);
  setField(fields, 'Host', record.host ?? ngx.var.weir_upstream_host ?? clientHost);
  setField(fields, 'X-Request-ID', ngx.var.weir_request_id ?? '');
  setField(fields, 'X-Real-IP', address);
  setField(fields, 'X-Forwarded-For', address);
  setField(fields, 'X-Original-Forwarded-For', ngx.var.http_x_forwarded_for ?? '');
  setField(fields, 'X-Forwarded-Host', clientHost);
  setField(fields, 'X-Forwarded-Port', ngx.var.server_port ?? '');
  setField(fields, 'X-Forwarded-Proto', scheme);
  setField(fields, 'X-Forwarded-Scheme', scheme);
  setField(fields, 'X-Forwarded-Prefix', ngx.var.weir_prefix ?? '');
  setField(fields, 'X-Scheme', scheme);
  addClientCertificate(fields);
  const method = ngx.var.request_method ?? 'GET';
  const { path } = record;
  const target = path === undefined ? (ngx.var.request_uri ?? '/') : requestUrl(path, scheme);
  const length = bodyBytes === undefined ? '' : 'Content-Length: ' + string.format('%d', bodyBytes) + '\r\n';
  return method + ' ' + target + ' HTTP/1.1\r\n' + fieldLines(fields) + length;
}

/**
 * The access phase of profiles whose requests are copied with their bodies. nginx deletes the file of a body that it reads
 * for itself as soon as it has it open; of one that Lua asks for it keeps the name until the request is over.
 */
export function keepBody(): void {
  ngx.req.read_body();
}

/** Whether there is a body to copy can't be told from the headers alone: over HTTP/2 none need announce it. */
function openBody({
  withoutBody,
}: MirrorRecord): LuaMultiReturn<[string | LuaFile | undefined, number | undefined, string | undefined]> {
  if (withoutBody === true) {
    return $multi(undefined, undefined, undefined);
  }
  const data = ngx.req.get_body_data();
  if (data !== undefined) {
    return $multi(data, data.length, undefined);
  }
  const name = ngx.req.get_body_file();
  if (name === undefined) {
    return $multi(undefined, declaresBody() ? 0 : undefined, undefined);
  }
  // nginx deletes the file with the request; an open one can still be read.
  const [file, problem] = io.open(name, 'rb');
  if (file === undefined) {
    return $multi(undefined, undefined, 'the body of one can not be read: ' + tostring(problem));
  }
  const size = file.seek('end', 0)[0] as unknown as number;
  return $multi(file, size, undefined);
}

function declaresBody(): boolean {
  return (ngx.var.content_length ?? '') !== '' || ngx.var.http_transfer_encoding !== undefined;
}

function isFile(body: string | LuaFile | undefined): body is LuaFile {
  return body !== undefined && typeof body !== 'string';
}

function begin({ request, bodyBytes: bytes }: Copy): void {
  underWay += 1;
  bodyBytes += bytes;
  if (isFile(request.body)) {
    openFiles += 1;
  }
}

function finish({ request, bodyBytes: bytes }: Copy): void {
  underWay -= 1;
  bodyBytes -= bytes;
  if (isFile(request.body)) {
    openFiles -= 1;
    request.body.close();
  }
}

function deliver(this: void, _premature: boolean, copy: Copy): void {
  const [answer, problem] = askService(copy.backend, copy.request, false);
  finish(copy);
  if (answer === undefined) {
    noteFailure('of backend ' + copy.backend + ': ' + problem);
  }
}

function sendCopy({ record }: Mirror, scheme: string): void {
  if (underWay >= MOST_COPIES) {
    noteFailure('too many are under way');
    return;
  }
  const [body, bytes, unreadable] = openBody(record);
  if (unreadable !== undefined) {
    noteFailure(unreadable);
    return;
  }
  const room = bodyBytes === 0 || bodyBytes + (bytes ?? 0) <= MOST_BODY_BYTES;
  if (!room || (isFile(body) && openFiles >= MOST_FILES)) {
    if (isFile(body)) {
      body.close();
    }
    noteFailure('too many bodies are under way');
    return;
  }
  const request: ServiceRequest = {
    head: copyHead(record, scheme, bytes),
    body,
    tls: record.tls,
    timeouts: TIMEOUTS,
    within: LONGEST_COPY,
    keep: KEPT,
  };
  const copy: Copy = { backend: record.backend, request, bodyBytes: bytes ?? 0 };
  begin(copy);
  const [started, problem] = ngx.timer.at(0, deliver, copy);
  if (started === undefined) {
    finish(copy);
    noteFailure(tostring(problem));
  }
}

/**
 * The log phase of a request that went to a backend. The copies begin when the real answer is over, in the background:
 * so they can't delay it, nor the next request on the client's connection, as copies made by nginx's mirror module do.
 */
export function sendCopies(mirrors: readonly Mirror[], scheme: string): void {
  if (ngx.status === SWITCHING_PROTOCOLS) {
    return;
  }
  for (const mirror of mirrors) {
    if (isChosen(mirror.record)) {
      sendCopy(mirror, scheme);
    }
  }
}
