import { balanceRequest } from './balancing';
import { answerControl } from './control';
import { keepBody } from './mirror';
import { answerError } from './error-page';
import { configure, type Options } from './options';
import { logRequest } from './request-log';
import { changeResponse } from './response-changes';
import { leave as leaveLocation, routeRequest } from './routing';
import { onCertificate, onClientHello } from './tls-handshake';

/** Entry points of the program inside nginx: what the configuration's hooks call, one a phase. */

export function init(options: Options): void {
  configure(options);
  // Data are never code: nothing that could make them so stays within reach.
  const globals = _G as unknown as Record<string, unknown>;
  globals.load = undefined;
  globals.loadstring = undefined;
  globals.loadfile = undefined;
  globals.dofile = undefined;
}

export function initWorker(): void {
  const [file] = io.open('/dev/urandom', 'rb');
  let seed = ngx.now() * 1000 + ngx.worker.pid();
  if (file !== undefined) {
    const random = file.read(4) as unknown as string | undefined;
    file.close();
    if (random !== undefined && random.length === 4) {
      const [a, b, c, d] = string.byte(random, 1, 4);
      seed = a + b * 256 + c * 65_536 + d * 16_777_216;
    }
  }
  math.randomseed(seed);
}

export const clientHello = onClientHello;
export const certificate = onCertificate;
export const route = routeRequest;
export const leave = leaveLocation;
export const balance = balanceRequest;
export const headers = changeResponse;
export const log = logRequest;
export const errorPage = answerError;
export const readBody = keepBody;
export const control = answerControl;
