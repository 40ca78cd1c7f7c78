import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INDEX } from '../../http/console/built-files.ts';
import { buildBundle } from '../../http/console/bundle.ts';
import { readSource, writeSources } from './sources.ts';

export async function writeConsole(root: string, dist: string): Promise<void> {
  const { id, files, sources } = await buildBundle({ isDevelopment: false });
  const directory = join(dist, 'console');
  for (const [path, { bytes, br, gzip }] of files) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    writeFileSync(`${file}.br`, br);
    writeFileSync(`${file}.gz`, gzip);
  }
  const listed = [...files].map(([path, { type, etag, isForever }]) => ({ path, type, etag, isForever }));
  writeFileSync(join(directory, INDEX), JSON.stringify({ id, files: listed }));
  writeSources(
    dist,
    'console',
    sources.map((file) => readSource(root, file).source),
  );
}
