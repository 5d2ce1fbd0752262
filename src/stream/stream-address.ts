import { CodedError } from '../lib/coded-error.ts';

/** Where a model stream is offered or found. */
export type StreamAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

const TCP = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s/]+)):([0-9]{1,5})$/;

/** `unix:/run/weir/model/socket`, `weir-controller:9181`, `[::]:9181`. Throws a CodedError `stream-address`. */
export function parseStreamAddress(text: string): StreamAddress {
  if (/^unix:\/./.test(text)) return { kind: 'unix', path: text.slice('unix:'.length) };
  const [, six, name, port] = TCP.exec(text) ?? [];
  const host = six ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65535) {
    throw new CodedError('stream-address', `${JSON.stringify(text)} is no address of a model stream.`, {
      remedy: 'Give unix:/PATH or HOST:PORT.',
    });
  }
  return { kind: 'tcp', host, port: Number(port) };
}
