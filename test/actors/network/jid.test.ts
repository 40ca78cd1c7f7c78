import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jidDecode } from '@whiskeysockets/baileys';
import { userOf } from '../../../actors/network/jid.ts';

it('the user part of an address is the same as in the library', () => {
  const addresses = [
    '62811@s.whatsapp.net',
    '62811:7@s.whatsapp.net',
    '62811_1:7@s.whatsapp.net',
    '62811_1@hosted',
    '99:3@lid',
    '1-2@g.us',
  ];
  for (const address of [...addresses, '@lid', ':1@lid', 'a@b:1', 'a@b_1', '62811', '', undefined])
    assert.equal(userOf(address), jidDecode(address)?.user, address);
});
