/**
 * Loaded before every test file (`--import`). node:test tracks each promise of a test, so that it can name the test of
 * an unhandled rejection. This costs half of the CPU time of a test that mostly waits. Here it tracks everything
 * except promises; an unhandled rejection still fails its file.
 */
import { createHook } from 'node:async_hooks';

const options: object = { trackPromises: false };
const without = createHook(options);
const flag = Object.getOwnPropertySymbols(without).find((symbol) => Reflect.get(without, symbol) === true);
const prototype = Object.getPrototypeOf(without);
const { enable } = prototype;

// A Node version without this flag continues to track promises. The first hook of a process is that of node:test.
if (flag !== undefined)
  prototype.enable = function enableFirst(this: object) {
    prototype.enable = enable;
    Reflect.set(this, flag, true);
    return enable.call(this);
  };

// The runner would print only its message.
process.on('unhandledRejection', (cause) => {
  console.error('nobody handled a rejection:', cause);
  process.exitCode = 1;
});
