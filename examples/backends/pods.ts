/** A sample backend: what would be a pod in a cluster. */
export interface Pod {
  readonly name: string;
  readonly service: string;
  readonly version: string;
  /** A loopback address of its own. */
  readonly address: string;
}

export const POD_PORT = 7080;

/** The pods behind examples/shop/endpoints.yaml. */
export const PODS: readonly Pod[] = [
  { name: 'web-1', service: 'web', version: '1', address: '127.0.31.11' },
  { name: 'web-2', service: 'web', version: '1', address: '127.0.31.12' },
  { name: 'cart-1', service: 'cart', version: '1', address: '127.0.31.13' },
  { name: 'api-1', service: 'api', version: '1', address: '127.0.31.21' },
  { name: 'api-2', service: 'api', version: '1', address: '127.0.31.22' },
  { name: 'api-next-1', service: 'api', version: '2', address: '127.0.31.31' },
  { name: 'chat-1', service: 'chat', version: '1', address: '127.0.31.41' },
  { name: 'lost-1', service: 'lost', version: '1', address: '127.0.31.51' },
  { name: 'blog-1', service: 'blog', version: '1', address: '127.0.31.61' },
  { name: 'feed-1', service: 'feed', version: '1', address: '127.0.31.71' },
];
