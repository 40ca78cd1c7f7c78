import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { unzipSync } from 'fflate';
import { sweepMedia } from '../../../../actors/services/media/sweep.ts';
import { newId } from '../../../../runtime/ids.ts';
import { auditLogIn } from '../../../../store/audit/audit-log.ts';
import { OPERATOR_LOG } from '../../../../store/audit/entry.ts';
import { checkpointsIn } from '../../../../store/jobs/checkpoints.ts';
import { mediaOnDisk } from '../../../../store/media/disk.ts';
import { mediaIn } from '../../../../store/media/media.ts';
import type { Doc, Store } from '../../../../store/port.ts';
import { OWNED_COLLECTIONS } from '../../../../store/privacy/belongings.ts';
import { deletionsIn } from '../../../../store/privacy/deletions.ts';
import { exportsIn } from '../../../../store/privacy/exports.ts';
import { holdsIn } from '../../../../store/privacy/holds.ts';
import { retentionIn } from '../../../../store/privacy/retention.ts';
import { aGateway } from '../../../support/gateway.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { aDirectory, eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, libraryOn, lived, remembering, sealer } from './erasure-fixture.ts';
import { processOn, timerless } from './jobs-fixture.ts';

const DAY = 86_400_000;
/** By then the claim of a process that died is over. */
const MOST_MS = 10_000;
const OTHER = '6281255550005';
/** More than a slice of an export takes. */
const [MESSAGES, FILES] = [2_050, 25];
type Row = Doc & Readonly<Record<string, unknown>>;

eachStore('privacy jobs that crash at every write', (kind) => {
  it('are completed later, without lost, leftover or duplicate data', { timeout: 600_000 }, async (t) => {
    const receiver = await aReceiver(t);
    const remembered = remembering(kind);
    const data_dir = aDirectory(t);
    const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place], data_dir } });
    const { tenant, api, device } = await lived(gateway, receiver.url);
    const { store } = gateway;
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    await globex.api('POST', '/v1/contacts', { phone: '+6281277770007', name: 'Hers' });
    const rowsOf = (name: string) => store.collection<Row>({ name, indexes: [] });
    const bytes = await mediaOnDisk({ directory: `${data_dir}/media`, node: 'another' });
    const names = [...remembered.opened.keys()];
    let now = gateway.clock.now();
    // Names of bytes carry a moment of this process, which may be ahead of the story's.
    let sweptAt = now + 1_000 * DAY;
    const lifeOn = (over: Store) =>
      processOn(
        over,
        names,
        gateway.node.secrets.audit,
        bytes,
        timerless(() => now),
      );

    /** Lives one after the other, each of which dies at its nth write, until it is over. */
    async function throughDeaths(
      most: number,
      lifeMs: number,
      isOver: () => Promise<boolean>,
      work: (life: ReturnType<typeof lifeOn>) => Promise<void>,
    ) {
      let lives = 0;
      for (; !(await isOver()); lives += 1) {
        assert.ok(lives < 1_000, 'it does not come to an end');
        now += lifeMs;
        // The first write of each life is the claim. By turns it dies just after and just before the write.
        const mortal = mortalStore(store, { write: 2 + (lives % most), isMade: lives % 2 === 0 });
        await work(lifeOn(mortal.store)).catch(() => {});
      }
      return lives;
    }
    /** Sweeps files that no record refers to, which are removed after a day or two. */
    async function sweptBlobs(): Promise<readonly string[]> {
      const owners = [mediaIn(store), exportsIn(store)];
      sweptAt += 3 * DAY;
      await sweepMedia({ owners, bytes, checkpoints: checkpointsIn(store), clock: timerless(() => sweptAt) }, sweptAt);
      return (await bytes.list(null, 10_000)).map((place) => place.slice(place.lastIndexOf('/') + 1)).sort();
    }

    // More than fits into a slice.
    const old = now - 40 * DAY;
    const sample = { tenant_id: tenant.id, session_id: device.id, chat_id: `${DORA}@s.whatsapp.net`, status: 'read' as const };
    const rows = Array.from({ length: MESSAGES }, (_, nth) => aMessageRow({ ...sample, _id: newId(old + nth), created_at: old + nth }));
    await rowsOf('messages').insertMany(rows.map((row) => ({ ...row, outbox_pending: false })));
    const library = libraryOn(store, bytes);
    async function* content(nth: number): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`file ${nth}`);
    }
    for (let nth = 0; nth < FILES; nth += 1) {
      const owner = { devices: [device.id], chat_id: null, agent_id: null };
      await library.keep({ tenantId: tenant.id, source: content(nth), filename: `${nth}.txt`, owner }, old + nth);
    }
    const ids = (await rowsOf('messages').find({ session_id: device.id }).toArray()).map(({ _id }) => _id).sort();
    const keys = (await rowsOf('media').find({ tenant_id: tenant.id }).toArray()).map(({ _id }) => _id).sort();
    assert.ok(ids.length > MESSAGES && keys.length > FILES);

    // An export: whole, no part twice, and nobody sees it half-made.
    const { _id: exportId } = await lifeOn(store).exporting.begin(tenant.id, null, now);
    const exportRow = () => exportsIn(store).find(tenant.id, exportId);
    const download = () =>
      fetch(`${gateway.node.url}/v1/privacy/exports/${exportId}/download`, {
        headers: { authorization: `Bearer ${tenant.tokens.token}` },
      });
    const exportLives = await throughDeaths(
      23,
      MOST_MS,
      async () => {
        const isOver = (await exportRow())?.open !== true;
        if (!isOver) assert.equal((await download()).status, 409);
        return isOver;
      },
      ({ exporting }) => exporting.continueAll(now),
    );
    assert.ok(exportLives > 10, `${exportLives} lives`);
    assert.equal((await exportRow())?.status, 'done');
    const files = unzipSync(new Uint8Array(await (await download()).arrayBuffer()));
    const jsonOf = (name: string) => JSON.parse(Buffer.from(files[name] ?? assert.fail(`no ${name}`)).toString());
    const manifest = jsonOf('manifest.json');
    assert.deepEqual(
      manifest.files.map(({ name }: { name: string }) => name).sort(),
      Object.keys(files)
        .filter((name) => name !== 'manifest.json')
        .sort(),
    );
    for (const { name, sha256 } of manifest.files)
      assert.equal(
        createHash('sha256')
          .update(files[name] ?? '')
          .digest('hex'),
        sha256,
        name,
      );
    const idsIn = (kindOf: string): string[] =>
      Object.keys(files)
        .filter((name) => new RegExp(`^${kindOf}(-\\d+)?\\.json$`).test(name))
        .flatMap(jsonOf)
        .map(({ id, key }) => id ?? key)
        .sort();
    assert.deepEqual(idsIn('messages'), ids);
    assert.deepEqual(idsIn('media'), keys);
    assert.ok(files['messages-2.json'] && files['media-2.json'], 'in slices');
    assert.equal(manifest.counts.messages, ids.length);
    assert.equal(manifest.counts.media, keys.length);
    for (const key of keys) assert.ok(files[`media/${key}`], key);
    const blobsOf = async (name: string): Promise<string[]> => (await rowsOf(name).find({}).toArray()).map(({ blob }) => String(blob));
    assert.deepEqual(await sweptBlobs(), [...(await blobsOf('media')), ...(await blobsOf('privacy_export_files'))].sort());

    // Its end: no row and no byte stays.
    await throughDeaths(
      5,
      DAY,
      async () => (await rowsOf('privacy_exports').countDocuments({})) === 0,
      ({ exporting }) => exporting.continueAll(now),
    );
    assert.equal(await rowsOf('privacy_export_files').countDocuments({}), 0);
    assert.deepEqual(await sweptBlobs(), (await blobsOf('media')).sort());

    // Retention: what is old goes, what is young or held stays.
    const young = await rowsOf('messages')
      .find({ session_id: device.id, created_at: { $gt: old + MESSAGES } })
      .toArray();
    const held = aMessageRow({ ...sample, chat_id: `${OTHER}@s.whatsapp.net`, _id: newId(old), created_at: old });
    await rowsOf('messages').insertOne({ ...held, outbox_pending: false });
    await holdsIn(store).put(tenant.id, sealer.keyedHash(tenant.id, OTHER), { reason: 'a claim', until: now + 1e12 }, now);
    await rowsOf('privacy_retention').deleteOne({ _id: tenant.id });
    const days = Math.ceil((now - old - MESSAGES) / DAY) - 2;
    const periods = { messages: days, media: days, webhooks: 0, audit: 0 };
    await retentionIn(store).save(tenant.id, 0, { days: periods, pending: null, due_at: now });
    const began = now;
    await throughDeaths(
      7,
      MOST_MS,
      async () => ((await retentionIn(store).find(tenant.id))?.last_run?.at ?? 0) > began,
      ({ retaining }) => retaining.runDue(now),
    );
    const left = (await rowsOf('messages').find({ session_id: device.id }).toArray()).map(({ _id }) => _id).sort();
    assert.deepEqual(left, [...young.map(({ _id }) => _id), held._id].sort());
    const removed = { messages: MESSAGES, media: FILES, webhooks: 0, audit: 0 };
    assert.deepEqual((await retentionIn(store).find(tenant.id))?.last_run?.removed, removed, 'counted once each');
    assert.equal(await rowsOf('audit').countDocuments({ tenant_id: tenant.id, action: 'privacy.retention' }), 1);
    const youngFiles = (await rowsOf('media').find({ tenant_id: tenant.id }).toArray()).map(({ _id }) => _id);
    assert.equal(youngFiles.length, keys.length - FILES);
    assert.deepEqual(await sweptBlobs(), (await blobsOf('media')).sort());
    assert.equal((await auditLogIn(store, gateway.node.secrets.audit).verify(tenant.id)).ok, true);

    // The end of the account: nothing of it stays, and what is another's does.
    await rowsOf('privacy_holds').deleteMany({ tenant_id: tenant.id });
    assert.equal((await api('GET', '/v1/me')).status, 200);
    await lifeOn(store).deletion.begin(tenant.id, now);
    const deletionRow = () => deletionsIn(store).find(tenant.id);
    await throughDeaths(
      23,
      MOST_MS,
      async () => (await deletionRow())?.open !== true,
      ({ deletion }) => deletion.continueAll(now),
    );
    assert.ok((await deletionRow())?.done_at);
    const owned: Record<string, number> = {};
    for (const name of [...OWNED_COLLECTIONS, 'tenants']) {
      const texts = (await rowsOf(name).find({}).toArray()).map((row) => JSON.stringify(row));
      const found = texts.filter((text) => text.includes(tenant.id) || text.includes(device.id));
      if (found.length > 0) owned[name] = found.length;
    }
    assert.deepEqual(owned, {});
    assert.deepEqual(await sweptBlobs(), (await blobsOf('media')).sort());
    assert.equal(await rowsOf('audit').countDocuments({ tenant_id: OPERATOR_LOG, action: 'account.deleted', target_id: tenant.id }), 1);
    assert.equal((await globex.api('GET', '/v1/contacts')).body.contacts.length, 1);
  });
});
