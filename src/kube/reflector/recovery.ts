import { KubeError } from '../kube-error.ts';

/** How to go on after a failure. */
export interface Recovery {
  /** The version that was reached is of no use any more. */
  readonly relist: boolean;
  /** Tried again at once if the try before succeeded. */
  readonly atOnce: boolean;
  /** The server can't begin a watch with all that is there. */
  readonly withoutWatchList: boolean;
  /** Tried again slowly: somebody must do something first. */
  readonly slowly: 'forbidden' | 'absent' | undefined;
  /** Milliseconds that the server asks to wait at least. */
  readonly least: number;
}

/** A version that the server doesn't have yet: it lags behind another server, or was restored from a backup. */
const TOO_LARGE_TRIES = 5;

/** `initial`: in a watch that was to begin with all that is there. `attempt`: failures in a row, with this one. */
export function recoveryFrom(error: unknown, initial: boolean, attempt: number): Recovery {
  const { status, reason, retryAfter = 0, message } = error instanceof KubeError ? error : new KubeError(String(error));
  const gone = status === 410;
  const withoutWatchList = initial && (status === 400 || status === 422 || message.includes('RequestWatchProgress'));
  const tooLarge = reason === 'ResourceVersionTooLarge';
  return {
    // What isn't the server's word is a fault of who was told: it may have missed something.
    relist: gone || initial || !(error instanceof KubeError) || (tooLarge && attempt >= TOO_LARGE_TRIES),
    atOnce: gone || withoutWatchList,
    withoutWatchList,
    slowly: status === 403 ? 'forbidden' : status === 404 ? 'absent' : undefined,
    least: Math.max(retryAfter, tooLarge ? 1 : 0) * 1000,
  };
}
