import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'node:test';
import type { Store } from '../../store/collection.ts';
import { openEmbedded } from '../../store/embedded.ts';
import { type Office, openOffice } from './office.ts';

/** A story told of a fresh office on every store; `office()` is the one of the running test. */
export function story(title: string, tell: (office: () => Office) => void): void {
  describe(title, () => {
    let office: Office;
    let store: Store;
    let directory: string;
    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), 'office-'));
      store = openEmbedded({ path: join(directory, 'store.db') });
      office = await openOffice(store);
    });
    afterEach(async () => {
      await office.close();
      await store.close();
      rmSync(directory, { recursive: true });
    });
    tell(() => office);
  });
}
