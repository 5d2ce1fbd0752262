/** The parts of the nginx Lua API that the data plane uses. Functions take no `self`. */

interface SharedDictionary {
  get(key: string): LuaMultiReturn<[string | number | boolean | undefined, number | string | undefined]>;
  safe_set(key: string, value: string | number, seconds?: number): LuaMultiReturn<[boolean, string | undefined]>;
  safe_add(key: string, value: string | number, seconds?: number): LuaMultiReturn<[boolean, string | undefined]>;
  /** Drives the oldest out where there is no room. */
  set(key: string, value: string | number, seconds: number): LuaMultiReturn<[boolean, string | undefined]>;
  incr(key: string, by: number, first?: number): LuaMultiReturn<[number | undefined, string | undefined]>;
  delete(key: string): void;
  get_keys(max: number): string[];
  free_space(): number;
  capacity(): number;
}

type HeaderValue = string | string[];

interface RegexCaptures {
  [group: string]: string | false | undefined;
  [group: number]: string | false | undefined;
}

/** @noSelf */
interface NgxRequest {
  get_method(): string;
  http_version(): number | undefined;
  get_headers(max: number): LuaTable<string, HeaderValue>;
  set_header(name: string, value: HeaderValue): void;
  clear_header(name: string): void;
  set_uri(uri: string, jump: boolean, binary: boolean): void;
  set_uri_args(args: string): void;
  read_body(): void;
  get_body_data(): string | undefined;
  /** Name of the file that holds the body. */
  get_body_file(): string | undefined;
  discard_body(): void;
  start_time(): number;
}

/** A connection of weir's own; its methods yield. Time-outs in milliseconds. */
interface TcpSocket {
  settimeouts(this: TcpSocket, connect: number, send: number, read: number): void;
  connect(
    this: TcpSocket,
    address: string,
    port: number,
    options: { pool: string },
  ): LuaMultiReturn<[number | undefined, string | undefined]>;
  sslhandshake(
    this: TcpSocket,
    session: false,
    name: string | undefined,
    verify: boolean,
  ): LuaMultiReturn<[boolean | undefined, string | undefined]>;
  send(this: TcpSocket, data: string): LuaMultiReturn<[number | undefined, string | undefined]>;
  receiveany(this: TcpSocket, most: number): LuaMultiReturn<[string | undefined, string | undefined]>;
  getreusedtimes(this: TcpSocket): number;
  setkeepalive(this: TcpSocket, idle: number, most: number): void;
  close(this: TcpSocket): void;
}

/** @noSelf */
interface NgxRegex {
  find(
    subject: string,
    pattern: string,
    options: string,
    context?: undefined,
    nth?: number,
  ): LuaMultiReturn<[number | undefined, number | undefined, string | undefined]>;
  match(
    subject: string,
    pattern: string,
    options: string,
  ): LuaMultiReturn<[RegexCaptures | undefined, string | undefined]>;
}

/** @noSelf */
interface Ngx {
  var: Record<string, string | undefined>;
  ctx: Record<string, unknown>;
  header: Record<string, HeaderValue | undefined>;
  status: number;
  shared: Record<string, SharedDictionary>;
  req: NgxRequest;
  re: NgxRegex;
  socket: { tcp(this: void): TcpSocket };
  timer: {
    at<Argument>(
      this: void,
      seconds: number,
      run: (this: void, premature: boolean, argument: Argument) => void,
      argument: Argument,
    ): LuaMultiReturn<[boolean | undefined, string | undefined]>;
  };
  worker: { pid(this: void): number; id(this: void): number; exiting(this: void): boolean };
  ERR: number;
  WARN: number;
  NOTICE: number;
  ERROR: number;
  OK: number;
  log(level: number, ...parts: (string | number)[]): void;
  exit(code: number): void;
  exec(target: string): void;
  print(...parts: string[]): void;
  send_headers(): void;
  sleep(seconds: number): void;
  now(): number;
  update_time(): void;
  md5(text: string): string;
  md5_bin(text: string): string;
  sha1_bin(text: string): string;
  crc32_long(text: string): number;
  escape_uri(text: string): string;
  unescape_uri(text: string): string;
  cookie_time(seconds: number): string;
}

declare const ngx: Ngx;

/** Whatever the foreign function interface hands out. */
interface CData {
  readonly __cdata: unique symbol;
}

declare module 'ffi' {
  /** @noSelf */
  interface Ffi {
    cdef(declarations: string): void;
    cast(type: string | CData, value: CData): CData;
    typeof(type: string): CData;
    'new'(type: string): CData;
    string(pointer: CData, length: number): string;
    /** Calls `release` with the pointer when nobody refers to it any more. */
    gc(pointer: CData, release: unknown): CData;
    C: Record<string, (this: void, ...args: (CData | string | number | undefined)[]) => number & CData>;
  }
  const ffi: Ffi;
  export = ffi;
}

declare module 'resty.core.base' {
  const base: { get_request(this: void): CData };
  export = base;
}

declare module 'ngx.balancer' {
  /** @noSelf */
  interface Balancer {
    set_current_peer(address: string, port: number): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    set_more_tries(count: number): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    get_last_failure(): LuaMultiReturn<[string | undefined, number | undefined]>;
    set_timeouts(connect: number, send: number, read: number): LuaMultiReturn<[boolean, string | undefined]>;
  }
  const balancer: Balancer;
  export = balancer;
}

declare module 'ngx.ssl' {
  /** @noSelf */
  interface Ssl {
    clear_certs(): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    parse_pem_cert(pem: string): LuaMultiReturn<[CData | undefined, string | undefined]>;
    parse_pem_priv_key(pem: string): LuaMultiReturn<[CData | undefined, string | undefined]>;
    set_cert(chain: CData): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    set_priv_key(key: CData): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    server_name(): string | undefined;
    /** Without authorities: those that are set otherwise count. */
    verify_client(
      authorities: CData | undefined,
      depth: number,
    ): LuaMultiReturn<[boolean | undefined, string | undefined]>;
    /** Absent in Debian 12's library. */
    readonly get_req_ssl_pointer?: (this: void) => LuaMultiReturn<[CData | undefined, string | undefined]>;
  }
  const ssl: Ssl;
  export = ssl;
}

declare module 'ngx.ssl.clienthello' {
  /** @noSelf */
  interface ClientHello {
    get_client_hello_server_name(): string | undefined;
    get_client_hello_ext(type: number): string | undefined;
  }
  const hello: ClientHello;
  export = hello;
}

declare module 'ngx.resp' {
  const response: { add_header(this: void, name: string, value: HeaderValue): void };
  export = response;
}

declare module 'cjson.safe' {
  /** @noSelf */
  interface Cjson {
    decode(text: string): LuaMultiReturn<[unknown, string | undefined]>;
    encode(value: unknown): string;
    empty_array: unknown;
  }
  const cjson: Cjson;
  export = cjson;
}
