import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { endOnFault } from './end-on-fault.ts';

function harness() {
  const lines: string[] = [];
  const exits: number[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const process = Object.assign(new EventEmitter(), {
    exit: (code: number) => {
      // What was logged before the end counts.
      exits.push(code, lines.length);
    },
  });
  return { lines, exits, process, log: pino(stream) };
}

test('an exception that nothing caught is told with what failed, and ends the program as a fault', () => {
  const { lines, exits, process, log } = harness();
  endOnFault(log, process);
  process.emit('uncaughtException', new TypeError('x is not a function'));
  assert.deepEqual(exits, [70, 1]);
  const line = JSON.parse(lines[0] ?? '') as { level: number; msg: string; stack: string };
  assert.equal(line.level, 60);
  assert.match(line.msg, /an exception that nothing caught.*x is not a function.*nginx goes on serving/u);
  assert.match(line.stack, /end-on-fault\.test\.ts/u);
});

test('a rejection that nothing handled ends it, too, whatever was rejected with', () => {
  const { lines, exits, process, log } = harness();
  endOnFault(log, process);
  process.emit('unhandledRejection', 'just a text');
  assert.deepEqual(exits, [70, 1]);
  assert.match(lines[0] ?? '', /just a text/u);
});

test('it ends although the fault can not be told', () => {
  const { exits, process, log } = harness();
  log.fatal = () => {
    throw new Error('the log is broken');
  };
  endOnFault(log, process);
  assert.throws(() => process.emit('uncaughtException', new Error('x')));
  assert.deepEqual(exits, [70, 0]);
});
