import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { PreviewedSends } from '../../../../actors/device/effects/previewed-sends.ts';
import type { Connection, Network, OutgoingMessage } from '../../../../actors/network/port.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { LinkPreview } from '../../../../store/messaging/message-row.ts';

const OWNER = { tenantId: 't', sessionId: 's', epoch: 1 };
const URL = 'https://a.id/x';

function aDevice(name: Network['name'], isOn: boolean, ask?: Connection['ask']) {
  const asked: string[] = [];
  const notes: LinkPreview[] = [];
  const sent: OutgoingMessage[] = [];
  const sends = new PreviewedSends(
    {
      network: { name },
      linkPreviews: {
        async find(_tenant, url, first) {
          const found = await first?.();
          if (found) return found;
          asked.push(url);
          return { title: 'X' };
        },
      },
      clock: new VirtualClock(),
      messages: { notePreview: async (_owner, _id, preview) => void notes.push(preview) },
    },
    OWNER,
    () => isOn,
    () => ({ ...(ask && { ask }) }),
  );
  const send = async (preview?: LinkPreview) => {
    const message = { netId: 'm', to: 'a@s.whatsapp.net', content: { type: 'text', body: URL }, quotes: null } as const;
    sends.send({ ...message, ...(preview && { preview }) }, (ready) => sent.push(ready));
    await turn();
    return sent.at(-1)?.preview;
  };
  return { asked, notes, sent, send };
}

describe('an automatic link preview', () => {
  const wanted = { url: URL, by_default: true } as const;

  it('is generated on the real network', async () => {
    const device = aDevice('whatsapp', true);
    assert.deepEqual(await device.send(wanted), { ...wanted, title: 'X' });
    assert.deepEqual(device.notes, [{ ...wanted, title: 'X' }]);
  });

  it('is not generated on the sandbox, or when the feature is disabled', async () => {
    for (const device of [aDevice('sandbox', true), aDevice('whatsapp', false)]) {
      assert.equal(await device.send(wanted), undefined);
      assert.deepEqual([device.sent.length, device.asked, device.notes], [1, [], []]);
    }
  });
});

describe('a requested link preview', () => {
  it('is generated even on the sandbox, and recorded as failed when the feature is disabled', async () => {
    assert.deepEqual(await aDevice('sandbox', true).send({ url: URL }), { url: URL, title: 'X' });
    const off = aDevice('whatsapp', false);
    assert.equal(await off.send({ url: URL }), undefined);
    assert.deepEqual([off.asked, off.notes], [[], [{ url: URL, failed: true }]]);
    assert.equal(await off.send({ url: URL, title: 'Own' }), undefined);
  });

  it('is not fetched again once it is stored', async () => {
    const device = aDevice('whatsapp', true);
    assert.deepEqual(await device.send({ url: URL, title: 'Kept' }), { url: URL, title: 'Kept' });
    assert.equal(await device.send({ url: URL, failed: true }), undefined);
    assert.deepEqual([device.asked, device.notes], [[], []]);
  });

  it("is fetched from an invitation's web page if the network does not know the invitation", async () => {
    const url = 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv';
    const device = aDevice('whatsapp', true, () => Promise.reject(new Error('not found')));
    assert.deepEqual(await device.send({ url }), { url, title: 'X' });
    assert.deepEqual(device.asked, [url]);
  });
});
