import type { DemoPorts } from './demo-ports.ts';

/** A command to try, and what its output must show. */
export interface DemoStep {
  readonly title: string;
  readonly command: string;
  /** Each must occur in the output, in this order. */
  readonly shows: readonly string[];
}

export interface DemoPlaces {
  readonly ports: DemoPorts;
  /** File with the authority's certificate. */
  readonly authority: string;
  /** How to run weir and its Node from where the user is. */
  readonly weir: string;
  readonly node: string;
  /** Folders of the example manifests and of the generated Secrets. */
  readonly manifests: string;
  readonly secrets: string;
}

export function demoSteps({ ports, authority, weir, node, manifests, secrets }: DemoPlaces): DemoStep[] {
  const http = (host: string, path: string, options = '') =>
    `curl -s ${options}--resolve ${host}:${ports.http}:127.0.0.1 http://${host}:${ports.http}${path}`;
  const https = (host: string, path: string, options = '') =>
    `curl -s ${options}--cacert ${authority} --resolve ${host}:${ports.https}:127.0.0.1 https://${host}:${ports.https}${path}`;
  const upgrade =
    "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='";
  return [
    {
      title: 'a virtual host',
      command: http('blog.example', '/2026/spring'),
      shows: ['"service":"blog"', '"path":"/2026/spring"'],
    },
    {
      title: 'an exact path that goes to another service',
      command: http('blog.example', '/feed'),
      shows: ['"service":"feed"'],
    },
    {
      title: 'a host with TLS sends plain HTTP to HTTPS',
      command: http('shop.example', '/', '-i '),
      shows: [' 308 ', `https://shop.example:${ports.https}/`],
    },
    {
      title: 'TLS with the certificate of the Secret shop/shop-tls',
      command: https('shop.example', '/'),
      shows: ['"service":"web"', '"x-forwarded-proto":"https"'],
    },
    {
      title: 'a path that goes to another service, over HTTP/2',
      command: https('shop.example', '/cart/items', '--http2 -i '),
      shows: ['HTTP/2 200', '"service":"cart"', '"path":"/cart/items"'],
    },
    {
      title: 'a rewritten path: the API does not see /v1',
      command: https('api.shop.example', '/v1/products/7', "-H 'X-Canary: never' "),
      shows: ['"service":"api","version":"1"', '"path":"/products/7"'],
    },
    {
      title: 'the canary, asked for by a header',
      command: https('api.shop.example', '/v1/products/7', "-H 'X-Canary: always' "),
      shows: ['"service":"api","version":"2"', '"path":"/products/7"'],
    },
    {
      title: 'the canary by weight: about 25 of 100 requests',
      command: `${https('api.shop.example', "'/v1/[1-100]'")} | grep -o '"version":"[12]"' | sort | uniq -c`,
      shows: ['"version":"1"', '"version":"2"'],
    },
    {
      title: 'a WebSocket handshake',
      command: `${https('chat.shop.example', '/room', `-i --http1.1 --max-time 1 ${upgrade} `)} || true`,
      shows: [' 101 ', 'X-Backend: chat-1'],
    },
    {
      title: 'a WebSocket conversation',
      command: `${node} examples/backends/say.ts wss://chat.shop.example:${ports.https}/room 127.0.0.1 hello`,
      shows: ['chat-1: hello'],
    },
    {
      title: 'a host that nobody names',
      command: http('nowhere.example', '/'),
      shows: ['"service":"lost"'],
    },
    {
      title: 'why a URL goes where it goes',
      command: `${weir} explain https://api.shop.example/v1/products/7 --admin 127.0.0.1:${ports.admin}`,
      shows: ['shop/api'],
    },
    {
      title: 'what weir has to say about the manifests',
      command: `${weir} check -f ${manifests} -f ${secrets} 2>&1`,
      shows: ['0 errors'],
    },
  ];
}
