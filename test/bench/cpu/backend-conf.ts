import { mainContext, temporaryPaths } from '../nginx-process.ts';

/** The backend behind every arm of the bench: answers with its own port, so that one sees which endpoint was taken. */
export function backendConf(
  ports: readonly number[],
  addresses: readonly string[] = ['127.0.0.1'],
): (directory: string) => string {
  return (directory) => `${mainContext(directory)}
http {
${temporaryPaths(directory)}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  server {
${ports.flatMap((port) => addresses.map((address) => `    listen ${address}:${port} backlog=16384;`)).join('\n')}
    location / { default_type text/plain; return 200 "$server_port\\n"; }
  }
}
`;
}
