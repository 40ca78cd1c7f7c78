/**
 * Loaded before every test file (`--import`). node:test follows each promise of a test, so that it can name the test of a rejection that
 * nobody handles: half of the CPU of a test that does little else than wait. Here it follows all but promises; such a rejection still fails its file.
 */
import { createHook } from 'node:async_hooks';

const options: object = { trackPromises: false };
const without = createHook(options);
const flag = Object.getOwnPropertySymbols(without).find((symbol) => Reflect.get(without, symbol) === true);
const prototype = Object.getPrototypeOf(without);
const { enable } = prototype;

// A Node that has no such flag keeps following. The first hook of a process is the one of node:test.
if (flag !== undefined)
  prototype.enable = function enableFirst(this: object) {
    prototype.enable = enable;
    Reflect.set(this, flag, true);
    return enable.call(this);
  };

// The runner tells its message only.
process.on('unhandledRejection', (cause) => {
  console.error('nobody handled a rejection:', cause);
  process.exitCode = 1;
});
