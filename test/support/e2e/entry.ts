import { type Reply, type RequestOptions, request } from '../clients/http-client.ts';
import { Http2Client } from '../clients/http2-client.ts';
import { WebSocketClient } from '../clients/websocket-client.ts';
import { type Handshake, handshake } from '../clients/tls-client.ts';
import type { LoadTarget } from '../load/load-plan.ts';

type Asked = Omit<Partial<RequestOptions>, 'port' | 'host' | 'path' | 'tls' | 'address'>;

/** Where clients reach one weir, and the class of Ingresses that it serves. */
export class Entry {
  readonly target: LoadTarget;
  readonly className: string;

  constructor(target: LoadTarget, className: string) {
    this.target = target;
    this.className = className;
  }

  http(host: string, path = '/', asked: Asked = {}): Promise<Reply> {
    const { address, httpPort } = this.target;
    return request({ ...asked, address, port: httpPort, host, path });
  }

  https(host: string, path = '/', asked: Asked = {}): Promise<Reply> {
    const { address, httpsPort } = this.target;
    return request({ ...asked, address, port: httpsPort, host, path, tls: true });
  }

  /** The caller closes it. */
  http2(host: string): Promise<Http2Client> {
    return Http2Client.open(this.target.httpsPort, { address: this.target.address, host, tls: true });
  }

  /** The caller closes it. */
  webSocket(host: string, path = '/'): Promise<WebSocketClient> {
    return WebSocketClient.open(this.target.httpPort, host, path, undefined, this.target.address);
  }

  handshake(servername: string): Promise<Handshake> {
    return handshake(this.target.httpsPort, { address: this.target.address, servername });
  }
}
