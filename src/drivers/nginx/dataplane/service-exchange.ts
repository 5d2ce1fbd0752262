import type { ServiceRecord } from '../wire';
import type { Endpoint } from './endpoint';

/** A request that weir makes itself, to a service that is no backend of the route. */
export interface ServiceRequest {
  /** Request line and header fields, each with its line end, without the empty line. */
  readonly head: string;
  readonly body: string | LuaFile | undefined;
  /** Undefined: plain HTTP. `name` is what the handshake asks for, if anything. */
  readonly tls: ServiceRecord['tls'];
  /** Milliseconds to connect, send, and wait for more of the answer. */
  readonly timeouts: readonly [number, number, number];
  /** Milliseconds for all of it once there is a connection: bytes that come one by one don't prolong it. */
  readonly within: number;
  /** Undefined: the connection is closed after the answer. */
  readonly keep: KeptConnections | undefined;
}

/** Connections to a service that a worker keeps for later requests. */
export interface KeptConnections {
  /** Only requests that name the same share them. */
  readonly pool: string;
  readonly connections: number;
  /** How many requests one of them serves. */
  readonly requests: number;
  readonly idleMilliseconds: number;
}

export interface ServiceAnswer {
  readonly status: number;
  /** By lower-case name, in the order in which they came. */
  readonly headers: LuaTable<string, string[]>;
}

/** Why there is no answer. `untouched`: the service can't have acted on the request, so that it may be asked elsewhere. */
export interface ServiceFailure {
  readonly problem: string;
  readonly untouched: boolean;
}

const MOST_HEAD_BYTES = 65_536;
/** A body that is longer isn't worth reading to keep the connection. */
const MOST_BODY_BYTES = 65_536;
const FILE_BLOCK = 65_536;
const END_OF_HEAD = '\r\n\r\n';

/** Kept-alive connections are shared only where address, protocol and TLS name are the same. */
function poolOf(endpoint: Endpoint, { keep, tls }: ServiceRequest): string {
  const place = (keep === undefined ? '' : keep.pool) + ' ' + endpoint.key;
  return tls === undefined ? place : place + ' ' + (tls.name ?? '');
}

function open(endpoint: Endpoint, request: ServiceRequest): LuaMultiReturn<[TcpSocket | undefined, string]> {
  const socket = ngx.socket.tcp();
  const [connect, send, read] = request.timeouts;
  socket.settimeouts(connect, send, read);
  const [connected, problem] = socket.connect(endpoint.address, endpoint.port, {
    pool: poolOf(endpoint, request),
  });
  if (connected === undefined) {
    return $multi(undefined, 'it can not be connected to: ' + tostring(problem));
  }
  if (request.tls !== undefined && socket.getreusedtimes() === 0) {
    const [shaken, refusal] = socket.sslhandshake(false, request.tls.name, false);
    if (!shaken) {
      socket.close();
      return $multi(undefined, 'the TLS handshake failed: ' + tostring(refusal));
    }
  }
  return $multi(socket, '');
}

/** Lets the next operation last no longer than the whole exchange may. False: its time is over. */
function hasTime(socket: TcpSocket, { timeouts }: ServiceRequest, deadline: number): boolean {
  const left = math.floor((deadline - ngx.now()) * 1000);
  if (left <= 0) {
    return false;
  }
  const [connect, send, read] = timeouts;
  socket.settimeouts(connect, math.min(send, left), math.min(read, left));
  return true;
}

/** What has come, at most so many bytes of it. */
function receive(
  socket: TcpSocket,
  request: ServiceRequest,
  deadline: number,
  most: number,
): LuaMultiReturn<[string | undefined, string | undefined]> {
  if (!hasTime(socket, request, deadline)) {
    return $multi(undefined, 'timeout');
  }
  return socket.receiveany(most);
}

function sendAll(socket: TcpSocket, request: ServiceRequest, deadline: number): string | undefined {
  const { head, body } = request;
  const first = typeof body === 'string' ? head + '\r\n' + body : head + '\r\n';
  let [sent, problem] = socket.send(first);
  if (typeof body === 'string' || body === undefined) {
    return sent === undefined ? problem : undefined;
  }
  body.seek('set', 0);
  while (sent !== undefined) {
    const block = body.read(FILE_BLOCK) as unknown as string | undefined;
    if (block === undefined) {
      return undefined;
    }
    if (!hasTime(socket, request, deadline)) {
      return 'timeout';
    }
    [sent, problem] = socket.send(block);
  }
  return problem;
}

function parseHead(head: string): ServiceAnswer | undefined {
  const [status] = string.match(head, '^HTTP/1%.[01] (%d%d%d)%f[^%d]');
  if (status === undefined) {
    return undefined;
  }
  const headers = new LuaTable<string, string[]>();
  const [, firstLine] = string.find(head, '\r\n', 1, true);
  let position = firstLine === undefined ? head.length + 1 : firstLine + 1;
  while (position <= head.length) {
    const [lineEnd] = string.find(head, '\r\n', position, true);
    const line = string.sub(head, position, lineEnd === undefined ? head.length : lineEnd - 1);
    const [name, value] = string.match(line, '^([^%s:%c]+):[ \t]*(.-)[ \t]*$');
    if (name === undefined || string.find(value!, '[%z\r\n]')[0] !== undefined) {
      return undefined;
    }
    const key = string.lower(name);
    const values = headers.get(key);
    if (values === undefined) {
      headers.set(key, [value!]);
    } else {
      values.push(value!);
    }
    position = lineEnd === undefined ? head.length + 1 : lineEnd + 2;
  }
  return { status: tonumber(status)!, headers };
}

/** Bytes of the body that follow the head; undefined where only the end of the connection would tell. */
function bodyLength({ status, headers }: ServiceAnswer): number | undefined {
  if (headers.get('transfer-encoding') !== undefined) {
    return undefined;
  }
  const lengths = headers.get('content-length');
  if ((status === 204 || status === 304) && lengths === undefined) {
    return 0;
  }
  if (lengths === undefined || lengths.length !== 1) {
    return undefined;
  }
  const [digits] = string.match(lengths[0], '^%d+$');
  return digits === undefined ? undefined : tonumber(digits);
}

/**
 * Reads the rest of the answer and keeps the connection, or closes it where that isn't sure to be right: what is left on
 * it would be taken for the answer to the next request. Some servers send a body where HTTP has none (to HEAD, with 204).
 */
function leave(
  socket: TcpSocket,
  request: ServiceRequest,
  deadline: number,
  head: string,
  answer: ServiceAnswer,
  surplus: string,
): void {
  const length = bodyLength(answer);
  const mayLie = length !== 0 && (isHead(request) || answer.status === 204 || answer.status === 304);
  const connection = string.lower(table.concat(answer.headers.get('connection') ?? [], ','));
  const closes = string.sub(head, 1, 8) !== 'HTTP/1.1' || string.find(connection, 'close', 1, true)[0] !== undefined;
  const { keep } = request;
  const served = socket.getreusedtimes() + 1;
  if (keep === undefined || served >= keep.requests) {
    socket.close();
    return;
  }
  if (closes || mayLie || length === undefined || length > MOST_BODY_BYTES || surplus.length > length) {
    socket.close();
    return;
  }
  let missing = length - surplus.length;
  while (missing > 0) {
    const [data] = receive(socket, request, deadline, missing);
    if (data === undefined) {
      socket.close();
      return;
    }
    missing -= data.length;
  }
  socket.setkeepalive(keep.idleMilliseconds, keep.connections);
}

function isHead({ head }: ServiceRequest): boolean {
  return string.sub(head, 1, 5) === 'HEAD ';
}

function readAnswer(
  socket: TcpSocket,
  request: ServiceRequest,
  deadline: number,
): LuaMultiReturn<[ServiceAnswer | undefined, string, boolean]> {
  let buffer = '';
  while (true) {
    const [headEnd] = string.find(buffer, END_OF_HEAD, 1, true);
    if (headEnd !== undefined) {
      const head = string.sub(buffer, 1, headEnd - 1);
      const surplus = string.sub(buffer, headEnd + END_OF_HEAD.length);
      const answer = parseHead(head);
      if (answer === undefined || answer.status === 101) {
        return $multi(undefined, 'its answer is not HTTP/1', false);
      }
      // 1xx: only announces the answer.
      if (answer.status >= 200) {
        leave(socket, request, deadline, head, answer, surplus);
        return $multi(answer, '', false);
      }
      buffer = surplus;
    } else if (buffer.length > MOST_HEAD_BYTES) {
      return $multi(undefined, 'the head of its answer is too long', false);
    } else {
      const [data, problem] = receive(socket, request, deadline, 8192);
      if (data === undefined) {
        return $multi(undefined, 'it did not answer: ' + tostring(problem), buffer === '' && problem !== 'timeout');
      }
      buffer = buffer + data;
    }
  }
}

/**
 * One request and the head of its answer, over HTTP/1.1. A kept-alive connection that the service was just closing is no
 * failure of the service: another takes its place.
 */
export function exchange(
  endpoint: Endpoint,
  request: ServiceRequest,
): LuaMultiReturn<[ServiceAnswer | undefined, ServiceFailure | undefined]> {
  while (true) {
    const [socket, refusal] = open(endpoint, request);
    if (socket === undefined) {
      return $multi(undefined, { problem: refusal, untouched: true });
    }
    const kept = socket.getreusedtimes() > 0;
    const deadline = ngx.now() + request.within / 1000;
    let problem = sendAll(socket, request, deadline);
    let lost = problem !== undefined && problem !== 'timeout';
    if (problem === undefined) {
      const [answer, complaint, unanswered] = readAnswer(socket, request, deadline);
      if (answer !== undefined) {
        return $multi(answer, undefined);
      }
      problem = complaint;
      lost = unanswered;
    } else {
      problem = 'it can not be sent to: ' + problem;
    }
    socket.close();
    if (!lost || !kept) {
      return $multi(undefined, { problem, untouched: lost });
    }
  }
}
