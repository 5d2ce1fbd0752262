import { CodedError } from '../../lib/coded-error.ts';

export type NginxErrorCode =
  | 'WEIR_NGINX_MISSING'
  | 'WEIR_NGINX_TOO_OLD'
  | 'WEIR_NGINX_NO_LUA'
  | 'WEIR_NGINX_START'
  | 'WEIR_NGINX_RELOAD'
  | 'WEIR_NGINX_CONFIGURATION'
  | 'WEIR_NGINX_PORT'
  | 'WEIR_NGINX_CONTROL'
  | 'WEIR_NGINX_CONFLICT'
  | 'WEIR_NGINX_ZONE_FULL'
  | 'WEIR_NGINX_STOPPED'
  | 'WEIR_NGINX_STATE_DIRECTORY'
  | 'WEIR_NGINX_NO_ROOM'
  | 'WEIR_NGINX_WORKER_ACCESS';

/** Operational failures of the nginx driver. The message says what failed, on what, and what happens next. */
export class NginxError extends CodedError {
  declare readonly code: NginxErrorCode;

  constructor(code: NginxErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'NginxError';
  }
}
