import * as ffi from 'ffi';
import * as base from 'resty.core.base';

/**
 * nginx's variables. `ngx.var` goes through a metatable, which LuaJIT can't compile where a request begins; the
 * calls below are what stands behind it (resty.core declares them), and compile with what is around them.
 */
const C = ffi.C;
const OK = 0;
/** nginx looks a variable up by its name in lower case and wants room for it. */
const lowerCase = ffi.new('unsigned char[128]');
const text = ffi.new('unsigned char *[1]') as unknown as LuaTable<number, CData>;
const length = ffi.new('size_t[1]') as unknown as LuaTable<number, number>;
const problem = ffi.new('char *[1]');
/** Room for what nginx has to say about a refused value. */
const MOST_WORDS = 256;
const words = ffi.new('unsigned char[256]');
const wordsLength = ffi.new('size_t[1]') as unknown as LuaTable<number, number>;

/** `name`: without `$`, ours, at most 128 characters. Undefined where the request has no such value. */
export function readVariable(name: string): string | undefined {
  const code = C.ngx_http_lua_ffi_var_get!(
    base.get_request(),
    name,
    name.length,
    lowerCase,
    0,
    text as unknown as CData,
    length as unknown as CData,
    problem,
  );
  return code === OK ? ffi.string(text.get(0), length.get(0)) : undefined;
}

/** Of a variable that the configuration declares as ours to set. */
export function writeVariable(name: string, value: string): void {
  wordsLength.set(0, MOST_WORDS);
  const code = C.ngx_http_lua_ffi_var_set!(
    base.get_request(),
    name,
    name.length,
    lowerCase,
    value,
    value.length,
    words,
    wordsLength as unknown as CData,
  );
  if (code !== OK) {
    error('variable ' + name + ' can not be set: ' + ffi.string(words, wordsLength.get(0)), 0);
  }
}

/** What `ngx.status` reads: 9 for an answer that nginx took for one of HTTP/0.9. */
export function answerStatus(): number {
  // Not a tail call, which would keep LuaJIT from compiling it alone.
  const status = C.ngx_http_lua_ffi_get_resp_status!(base.get_request());
  return status;
}
