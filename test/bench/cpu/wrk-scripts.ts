import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Scope, temporaryDirectory } from '../../support/scope.ts';

/** What wrk asks for, as Lua of its own; each function writes one and returns its path. */

/** GET / of each host, in an order that has nothing to do with that of the hosts. `count` and 7,919 have no common factor. */
export function hostsInTurn(scope: Scope, nameOf: (index: number) => string, count: number): string {
  const names = Array.from({ length: count }, (_, index) => `"${nameOf(index)}"`);
  return script(
    scope,
    `local names = { ${names.join(',')} }
local requests, n = {}, 0
init = function()
  for i, name in ipairs(names) do requests[i - 1] = wrk.format("GET", "/", { Host = name }) end
end
request = function()
  n = (n + 7919) % ${count}
  return requests[n]
end
`,
  );
}

/** POST / with a body of five bytes whose length isn't told beforehand. */
export function chunkedPost(scope: Scope, host: string): string {
  const text = `POST / HTTP/1.1\\r\\nHost: ${host}\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\n0\\r\\n\\r\\n`;
  return script(scope, `local post = "${text}"\nrequest = function() return post end\n`);
}

function script(scope: Scope, text: string): string {
  const path = join(temporaryDirectory(scope, 'wrk'), 'requests.lua');
  writeFileSync(path, text);
  return path;
}
