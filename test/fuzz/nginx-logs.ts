import { LogReader } from './log-reader.ts';

export interface LogPaths {
  readonly error: string;
  readonly access: string;
  /** Requests to the control socket, in nginx's `combined` format. */
  readonly control: string;
}

const ERROR_LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(\w+)\] (\d+)#\d+: /;
const LUA_FAULT =
  /stack traceback|runtime error|lua entry thread|failed to run|failed to load|attempt to |lua_shared_dict|bad argument|can not be used/i;
/** What the data plane itself tells, of a service that can't be asked, say. */
const OWN_WORDS = /\[lua\] [\w-]+\.lua:\d+: [\w.]+\(\): weir: /;
const SEVERE: ReadonlySet<string> = new Set(['crit', 'alert', 'emerg']);
/** The client's own doing, which nginx calls critical where OpenSSL gives it a reason that it doesn't know. */
const CLIENT_HANDSHAKE = /SSL_do_handshake\(\) failed .* while SSL handshaking, client: /;
/** Members of a line of the access log, in their order. */
const MEMBERS =
  'time,client,method,scheme,host,uri,protocol,status,bytes,requestBytes,duration,upstream,upstreamStatus,upstreamTime,requestId,route,reason,userAgent,referer';

/** What stands in nginx's logs that must not, whatever objects and clients do. */
export class NginxLogs {
  readonly #error: LogReader;
  readonly #access: LogReader;
  readonly #control: LogReader;
  readonly levels = new Map<string, number>();
  readonly statuses = new Map<number, number>();
  controlRequests = 0;
  /** Complaints of configurations that were tested and not taken. */
  refusals = 0;
  readonly #master: () => number;

  /** `master`: process id of the nginx that serves. */
  constructor(paths: LogPaths, master: () => number) {
    this.#master = master;
    this.#error = new LogReader(paths.error);
    this.#access = new LogReader(paths.access);
    this.#control = new LogReader(paths.control);
  }

  /** About what was added since the last call. */
  faults(): readonly string[] {
    return [
      ...this.#error.lines().flatMap((line) => this.#errorFault(line)),
      ...this.#access.lines().flatMap((line) => this.#accessFault(line)),
      ...this.#control.lines().flatMap((line) => this.#controlFault(line)),
    ];
  }

  #errorFault(line: string): readonly string[] {
    const [, level, pid] = ERROR_LINE.exec(line) ?? [];
    if (level === undefined) return [`error.log has a line of somebody else's making: ${shown(line)}`];
    this.levels.set(level, (this.levels.get(level) ?? 0) + 1);
    // `nginx -t`, which weir asks before it reloads, says there what it refuses.
    if (level === 'emerg' && Number(pid) !== this.#master()) {
      this.refusals += 1;
      return [];
    }
    if (SEVERE.has(level) && !CLIENT_HANDSHAKE.test(line)) return [`error.log: ${shown(line)}`];
    const foreign = line.includes('[lua]') && !OWN_WORDS.test(line);
    return foreign || LUA_FAULT.test(line) ? [`error.log tells of Lua: ${shown(line)}`] : [];
  }

  #accessFault(line: string): readonly string[] {
    let entry: Record<string, unknown>;
    try {
      entry = JSON.parse(line) as Record<string, unknown>;
    } catch {
      return [`access.log has a line that is no JSON: ${shown(line)}`];
    }
    if (Object.keys(entry).join() !== MEMBERS) return [`access.log has a line with other members: ${shown(line)}`];
    const status = Number(entry['status']);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return status === 500 ? [`access.log tells of a 500: ${shown(line)}`] : [];
  }

  /** Only weir knows the token; nginx refuses everybody else. */
  #controlFault(line: string): readonly string[] {
    this.controlRequests += 1;
    return /" (?:401|403|400|404|405) /.test(line) ? [`a stranger at the control socket: ${shown(line)}`] : [];
  }
}

function shown(line: string): string {
  return JSON.stringify(line.slice(0, 700));
}
