import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { movedLoginReader } from '../../../actors/network/whatsapp/keys/moved-login.ts';
import { readBundle } from '../../../actors/services/move-in/read-bundle.ts';
import { bundleOf } from '../../../scripts/commands/shell/move-in/source.ts';
import { whatsmeowSource } from '../../../scripts/commands/shell/move-in/whatsmeow.ts';
import { withWhatsmeow } from './world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const STRANGER = '6281100000009';

withWhatsmeow('a login migrated from whatsmeow', (world) => {
  it('continues earlier conversations and groups in both directions without any retry', async () => {
    const { peer, directory, adopt } = world();
    const shop = await world().computerOf(SHOP);
    const { jid: group } = peer.group([SHOP, ANNA, BUDI], { subject: 'Friends' });
    const [anna, budi] = [peer.contact(ANNA), peer.contact(BUDI)];
    const shows = async (text: string): Promise<void> => {
      for (let tries = 0; !anna.shows().some((shown) => shown.text === text); tries += 1) {
        assert.ok(tries < 600, `Anna never read ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    for (const id of [await anna.writes(SHOP, 'before'), await budi.writes(group, 'to all')]) await shop.gets(id);
    for (const to of [`${ANNA}@s.whatsapp.net`, group]) {
      await shop.sends(to, { conversation: `from the old program to ${to}` });
      await shows(`from the old program to ${to}`);
    }
    await shop.gets(await anna.writes(SHOP, 'an answer'));
    await shop.kill();

    const file = join(directory, `${SHOP}-1`, 'session.db');
    const source = whatsmeowSource(file, undefined);
    const bundle = bundleOf(source, await source.read());
    const read = await readBundle(
      (async function* () {
        yield Buffer.from(bundle);
      })(),
      (format) => movedLoginReader(format, 'g', Date.now()),
    );
    assert.ok(read.login);
    assert.deepEqual(read.dropped, []);
    assert.equal(read.login.phone, SHOP);
    assert.ok(Math.abs(Date.now() - (read.login.linkedAt ?? 0)) < 3_600_000);
    const { session = 0, 'sender-key': groupKeys = 0, 'pre-key': preKeys = 0, 'app-state-sync-key': settingsKeys = 0 } = read.accepted;
    assert.ok(session >= 2 && groupKeys >= 2 && preKeys > 100 && settingsKeys === 1, JSON.stringify(read.accepted));

    const retries = () =>
      peer.journal.stanzas({ way: 'up', tag: 'receipt' }).filter(({ stanza }) => stanza.attrs['type'] === 'retry').length;
    const retriedBefore = retries();
    const ours = await adopt(read.login, 'g');
    for (const [id, body] of [
      [await anna.writes(SHOP, 'after'), 'after'],
      [await budi.writes(group, 'after in the group'), 'after in the group'],
    ] as const)
      assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body });
    for (const [nth, to] of [`${ANNA}@s.whatsapp.net`, group].entries()) {
      ours.says(`ours-${nth}`, to);
      await shows(`ours-${nth}`);
    }
    assert.deepEqual((await ours.gets(await peer.contact(STRANGER).writes(SHOP, 'new here'))).message.content, {
      type: 'text',
      body: 'new here',
    });
    assert.equal(retries() - retriedBefore, 0);
    assert.deepEqual(peer.ledger.violations, []);
    assert.deepEqual(peer.journal.events('unreadable'), []);

    await source.retire('2026-01-01');
    assert.deepEqual([existsSync(file), existsSync(`${file}.moved-2026-01-01`)], [false, true]);
    await assert.rejects(source.read(), /does not exist/);
  });
});
