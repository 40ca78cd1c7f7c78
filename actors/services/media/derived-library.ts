import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { newId } from '../../../runtime/ids.ts';
import type { DerivedFiles, DerivedRow } from '../../../store/media/derived-files.ts';
import type { MediaBytes, MediaRow } from '../../../store/media/media.ts';
import { refusal } from '../../domain/refusals.ts';
import { ByteMeter } from './byte-meter.ts';
import type { Converted, Converter } from './convert/converter.ts';
import type { Recipe } from './convert/recipes.ts';

/**
 * Stores converted files. For each recipe, a file is converted only once. Rows are in
 * `derived_files`. Rows and bytes are removed together with the source file.
 */

export interface DerivedLibrary {
  derive(source: MediaRow, recipe: Recipe): Promise<DerivedRow>;
  open(tenantId: string, key: string): Promise<Readable>;
  /** Removes all conversions of a file. Call this before the file itself is removed. */
  drop(tenantId: string, source: string): Promise<void>;
}

export interface DerivedDeps {
  readonly rows: DerivedFiles;
  readonly bytes: MediaBytes;
  readonly converter: Pick<Converter, 'convert'>;
  hasSource(tenantId: string, key: string): Promise<boolean>;
  now(): number;
}

/** Must be increased when the output of a recipe changes, so that all files are converted again. */
const VERSION = 1;
const MARK = 'der_';
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export const isDerived = (key: string): boolean => key.startsWith(MARK);

function keyOf({ _id, blob }: MediaRow, recipe: Recipe): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([VERSION, _id, blob, recipe]))
    .digest();
  return `${MARK}${Array.from(digest.subarray(0, 26), (byte) => LETTERS[byte % 32]).join('')}`;
}

export function createDerivedLibrary({ rows, bytes, converter, hasSource, now }: DerivedDeps): DerivedLibrary {
  const underWay = new Map<string, Promise<DerivedRow>>();

  async function opened({ tenant_id, blob }: { readonly tenant_id: string; readonly blob: string }): Promise<Readable> {
    const stream = await bytes.read(tenant_id, blob);
    if (!stream) throw refusal('NOT_FOUND');
    return stream;
  }

  async function drop(tenantId: string, source: string): Promise<void> {
    for (const row of await rows.of(tenantId, source)) {
      if (row.blob !== null) await bytes.remove(tenantId, row.blob);
      await rows.remove(tenantId, row._id);
    }
  }

  async function written(source: MediaRow, { made }: Converted): Promise<Pick<DerivedRow, 'blob' | 'content_type' | 'size' | 'sha256'>> {
    const { tenant_id, content_type, size, sha256 } = source;
    if (!made) return { blob: null, content_type, size, sha256 };
    try {
      const blob = newId(now());
      const meter = new ByteMeter();
      await bytes.write(tenant_id, blob, meter.through(Readable.from(made.file.bytes(), { objectMode: false })));
      const measured = meter.measured();
      return { blob, content_type: made.type, size: measured.size, sha256: measured.sha256 };
    } finally {
      await made.file.close();
    }
  }

  async function made(source: MediaRow, recipe: Recipe, key: string): Promise<DerivedRow> {
    const { tenant_id, content_type, sha256, _id } = source;
    const converted = await converter.convert(tenant_id, { contentType: content_type, sha256, open: () => opened(source) }, recipe);
    const row = { _id: key, tenant_id, source: _id, ...(await written(source, converted)), notes: converted.notes, created_at: now() };
    if (!(await rows.add(row))) {
      if (row.blob !== null) await bytes.remove(tenant_id, row.blob);
      return (await rows.find(tenant_id, key)) ?? row;
    }
    if (await hasSource(tenant_id, _id)) return row;
    await drop(tenant_id, _id);
    throw refusal('NOT_FOUND');
  }

  return {
    async derive(source, recipe) {
      const key = keyOf(source, recipe);
      const known = await rows.find(source.tenant_id, key);
      if (known) return known;
      const name = `${source.tenant_id} ${key}`;
      const begun = underWay.get(name) ?? made(source, recipe, key).finally(() => underWay.delete(name));
      underWay.set(name, begun);
      return begun;
    },

    async open(tenantId, key) {
      const row = await rows.find(tenantId, key);
      if (row === null || row.blob === null) throw refusal('NOT_FOUND');
      return opened({ tenant_id: tenantId, blob: row.blob });
    },

    drop,
  };
}
