import type { ListenerRecord, VerificationRecord } from '../wire';
import { compileClientRule, type ClientRule } from './client-rule';
import { decodeRecord } from './decode-record';
import { settings } from './options';

/** A listener that asks for client certificates. */
export interface ClientListener {
  readonly broken?: boolean;
  readonly policy: string;
  readonly verify?: VerificationRecord;
  readonly rule?: ClientRule;
}

/** Its record can not be used: what has no rule of its own is not served here. */
const BROKEN: ClientListener = { broken: true, policy: 'broken' };

/** By name, of which there are as many as listeners. `false`: there is no record. */
const listeners = new LuaTable<string, ClientListener | false>();

function compile({ policy, verify, clientCertificate }: ListenerRecord): ClientListener {
  return { policy, verify, rule: compileClientRule(clientCertificate) };
}

function read(name: string): ClientListener | undefined {
  const key = 'l:' + name;
  const [text] = settings.data.get(key);
  if (text === undefined) {
    return undefined;
  }
  return decodeRecord<ListenerRecord, ClientListener>(key, text as string, compile) ?? BROKEN;
}

/** Undefined: the listener asks nobody for a certificate. */
export function findListener(name: string): ClientListener | undefined {
  const known = listeners.get(name);
  if (known !== undefined) {
    return known === false ? undefined : known;
  }
  const found = read(name);
  listeners.set(name, found ?? false);
  return found;
}

/** A worker that only serves its last connections may do so for a listener that is gone: it stays as it was guarded. */
export function forgetListener(name: string): void {
  const found = read(name);
  if (found !== undefined || !ngx.worker.exiting()) {
    listeners.set(name, found ?? false);
  }
}

export function forgetAllListeners(): void {
  for (const [name] of listeners) {
    forgetListener(name);
  }
}
