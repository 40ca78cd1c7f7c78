import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Must be preloaded. Resolves the library's Signal code to the package in `PUBLISHED_SIGNAL`. */
const directory = process.env['PUBLISHED_SIGNAL'];
if (directory) {
  const parentURL = pathToFileURL(join(directory, 'package.json')).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'libsignal' || specifier.startsWith('libsignal/')
        ? next(specifier, { ...context, parentURL })
        : next(specifier, context),
  });
}

/** Silences the package, which prints whole sessions with private keys. */
for (const way of ['info', 'warn', 'error', 'log'] as const) console[way] = () => {};
