import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readContent } from '../../../../actors/network/whatsapp/inbound/read-content.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';

const phonesIn = async () => {
  const library = await loadLibrary();
  return (vcard: string) => {
    const content = readContent(library, { contactMessage: { displayName: 'Anna', vcard } })?.content;
    return content?.type === 'contact' ? content.phone : null;
  };
};

it("a contact card yields its number with and without the network's attribute", async () => {
  const phoneIn = await phonesIn();
  assert.equal(phoneIn('TEL;type=CELL;type=VOICE;waid=6281211110001:+62 812-1111-0001'), '6281211110001');
  assert.equal(phoneIn('FN:Anna\nTEL;TYPE="cell,voice";VALUE=text;PREF=1:+62 (812) 1111-0002\nEND:VCARD'), '6281211110002');
  assert.equal(phoneIn('TEL:x'), '');
});

it('a contact card is read quickly, even if it contains thousands of incomplete numbers', async () => {
  const phoneIn = await phonesIn();
  for (const part of ['TEL', 'TEL;', 'TEL;x\n', 'waid=', '\nTEL:', 'TEL:+']) {
    const card = part.repeat(65_536 / part.length);
    const takes = [1, 2, 3].map(() => {
      const before = process.threadCpuUsage().user;
      phoneIn(card);
      return process.threadCpuUsage().user - before;
    });
    assert.ok(Math.min(...takes) < 50_000, `${JSON.stringify(part)}: ${Math.min(...takes)} µs`);
  }
});
