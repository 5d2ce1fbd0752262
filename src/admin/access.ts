import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface AccessOptions {
  /** Asked for under /api/ wherever a request comes from; without one, /api/ answers on loopback only. */
  readonly token: string | undefined;
  /** Name or address that weir was told to listen on; accepted as Host. */
  readonly host: string;
  /** Whether a connection came by a way that only weir's own account has: it may ask everything. */
  readonly isOwn?: (connection: Socket) => boolean;
}

/** For probes and Prometheus, which come from elsewhere and hold no token. */
const OPEN: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Who may ask what: health and metrics are for everybody, the rest for this machine or holders of the token. Nothing is
 * changed for whoever merely is on this machine: another account, or a page in a browser. What counts
 * is the route that answers, not the URL as it was sent: one may write `/%61pi/` or `http://host/api/`.
 */
export function guardAccess(app: FastifyInstance, { token, host, isOwn }: AccessOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url;
    if (route === undefined || OPEN.has(route) || isOwn?.(request.socket) === true) return undefined;
    if (token !== undefined) {
      if (isBearer(request.headers.authorization, token)) return undefined;
      reply.header('www-authenticate', 'Bearer realm="weir"');
      return refuse(
        reply,
        401,
        'token-required',
        'Send the token of admin-token-file as `Authorization: Bearer TOKEN`.',
      );
    }
    if (!READING.has(request.method)) {
      return refuse(
        reply,
        403,
        'own-socket-only',
        'What changes something needs the socket admin.sock in the state directory (--admin unix:PATH), or the token of admin-token-file.',
      );
    }
    if (!isLoopback(request.socket.remoteAddress)) {
      return refuse(
        reply,
        403,
        'loopback-only',
        'Beyond loopback, only /healthz, /readyz and /metrics answer. Set admin-token-file to open the rest.',
      );
    }
    // A page in a browser on this machine may resolve its own name to 127.0.0.1; then it sends that name.
    if (!isOwnName(request, host)) {
      return refuse(reply, 403, 'unknown-host', 'Ask by address (127.0.0.1) or as localhost, not by another name.');
    }
    return undefined;
  });
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ code, message });
}

/** Compared by digest, so that the time it takes tells nothing. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(.+)$/i.exec(header ?? '')?.[1];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (/^(::ffff:)?127\./.test(address) || address === '::1');
}

function isOwnName(request: FastifyRequest, host: string): boolean {
  const name = (request.headers.host ?? '').replace(/:[0-9]*$/, '').toLowerCase();
  return name === 'localhost' || name === host.toLowerCase() || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
