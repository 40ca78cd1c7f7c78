import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { aGateway } from '../../support/gateway.ts';
import { aLog } from '../../support/log.ts';
import { aDirectory } from '../../support/stores.ts';

const RUN = resolve(import.meta.dirname, '../../../scripts/commands/run.js');

describe('npm run audit:verify', () => {
  it('reports tampered logs in its output and exit code', async (t) => {
    const data_dir = aDirectory(t);
    const path = `${data_dir}/gateway.db`;
    const { log, lines } = aLog();
    const store = openEmbedded({ path });
    let gateway = await aGateway(t, { kind: { name: 'embedded', fresh: async () => store }, config: { data_dir }, log });
    const { api, id } = await gateway.signUp();
    for (const name of ['a', 'b', 'c']) await api('POST', '/v1/tags', { name, color: '#112233' });
    const other = (await gateway.signUp('Globex', '+62 811-0000-8888')).id;
    const former = (await gateway.signUp('Initech', '+62 811-0000-7777')).id;
    const exported = `${data_dir}/export.ndjson`;
    writeFileSync(exported, (await api('GET', '/v1/audit/export')).body);
    // A node that starts publishes the heads.
    gateway = await gateway.crash();
    await gateway.until('the heads are published', () => lines('audit.head').some(({ tenant }) => tenant === other));
    const published = `${data_dir}/node.log`;
    writeFileSync(
      published,
      `a line of another program\n${lines('audit.head')
        .map((line) => JSON.stringify(line))
        .join('\n')}\n`,
    );
    await gateway.during(gateway.node.stop());
    await store.close();

    const verify = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
      new Promise((done) => {
        const options = { env: { PATH: process.env['PATH'] ?? '', DATA_DIR: data_dir }, cwd: import.meta.dirname, timeout: 120_000 };
        execFile(process.execPath, [RUN, 'audit:verify', ...args], options, (cause, out, err) =>
          done({ code: cause ? Number(cause.code ?? 1) : 0, out, err }),
        );
      });
    const edit = (sql: string, ...values: string[]): void => {
      const db = new DatabaseSync(path);
      assert.equal(db.prepare(sql).run(...values).changes, 1, sql);
      db.close();
    };

    const sound = await verify('--heads', published);
    assert.deepEqual([sound.code, sound.err], [0, '']);
    assert.match(sound.out, new RegExp(`${id}: entries 1 to 5 are unchanged\\.`));
    assert.deepEqual(await verify(exported), { code: 0, out: 'entries 1 to 5 are unchanged.\n', err: '' });

    edit(`UPDATE audit SET doc = json_remove(doc, '$.detail') WHERE "$tenant_id" = ? AND "$seq" = 2`, id);
    edit(`UPDATE audit SET doc = '{"_id":"' WHERE "$tenant_id" = ? AND "$seq" = 3`, id);
    edit(`DELETE FROM audit WHERE "$tenant_id" = ? AND "$seq" = 1`, other);
    edit('DELETE FROM tenants WHERE _id = ?', former);
    const found = await verify();
    assert.deepEqual([found.code, found.err], [1 + 4 + 8 + 16, '']);
    for (const line of [
      `${id}: entry 2: the details of the entry were removed, and by no erasure.`,
      `${id}: entry 3: the entry cannot be read.`,
      `${other}: entry 1: the log once had an entry with this number that is gone.`,
      `${former}: entries up to 1 belong to an account that does not exist.`,
    ])
      assert.ok(found.out.split('\n').includes(line), found.out);

    const wrong = await verify('--head', published);
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
    assert.match(wrong.err, /Unknown option '--head'/);
  });
});
