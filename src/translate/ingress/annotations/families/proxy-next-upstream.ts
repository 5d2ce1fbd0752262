import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import type { Retry } from '../../../../model/route.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { integer } from '../values/integer.ts';
import { RETRY_CONDITIONS, type RetryWord } from '../values/retry-conditions.ts';

const CONDITIONS: AnnotationKey<readonly RetryWord[]> = {
  name: 'proxy-next-upstream',
  summary: 'When a request is tried again with another endpoint; `off` means never.',
  kind: RETRY_CONDITIONS,
  default: 'error timeout',
  example: 'error',
  differs:
    'Only `error` and `timeout` are acted on yet: `invalid_header`, `non_idempotent` and answers of the backend (`http_500` and ' +
    'the like) are reported and the others hold. A request whose method is not idempotent is never tried again once it was sent.',
};

const TRIES: AnnotationKey<number> = {
  name: 'proxy-next-upstream-tries',
  summary: 'How many times a request is tried altogether; `0` means once with each endpoint.',
  kind: integer('the number of tries', 0, 1000),
  default: '3',
  example: '2',
};

const TIMEOUT: AnnotationKey<number> = {
  name: 'proxy-next-upstream-timeout',
  summary: 'Seconds after which a request is not tried again; `0` means no such limit.',
  kind: integer('the number of seconds', 0, 2_147_483),
  default: '0',
  example: '10',
};

export const PROXY_NEXT_UPSTREAM: AnnotationFamily = {
  title: 'Retries',
  keys: [CONDITIONS, TRIES, TIMEOUT],
  onCanary: false,
  apply(read, settings) {
    const words = read.value(CONDITIONS);
    const tries = read.value(TRIES);
    const timeoutSeconds = read.value(TIMEOUT);
    if (words === undefined && tries === undefined && timeoutSeconds === undefined) return;
    const on = retryConditions(words ?? ['error', 'timeout']);
    if (words !== undefined) reportUnsupported(read, words);
    settings.retry = {
      // A request that no condition allows to be tried again is tried once.
      tries: on.some((condition) => condition !== 'non-idempotent') ? (tries ?? 3) : 1,
      on,
      ...(timeoutSeconds === undefined || timeoutSeconds === 0 ? {} : { timeoutSeconds }),
    };
  },
};

function retryConditions(words: readonly RetryWord[]): Retry['on'] {
  if (words.includes('off')) return [];
  const on: Retry['on'] = [];
  if (words.includes('error')) on.push('connection-error');
  if (words.includes('timeout')) on.push('timeout');
  if (words.includes('invalid_header')) on.push('invalid-header');
  if (words.includes('non_idempotent')) on.push('non-idempotent');
  return on;
}

function reportUnsupported(read: AnnotationReader, words: readonly RetryWord[]): void {
  const statuses = words.filter((word) => word.startsWith('http_'));
  if (statuses.length === 0 || words.includes('off')) return;
  read.report(
    CONDITIONS.name,
    ANNOTATION_FINDINGS.partlySupported,
    `Answers of the backend are not retried yet: ${statuses.join(', ')} will not lead to another try.`,
    'Let the client or the backend handle such answers, or leave these conditions out.',
  );
}
