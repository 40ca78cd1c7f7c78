import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

eachStore('an export of contacts', (kind) => {
  it('holds all that is known of those who are asked for, safe to open as a spreadsheet', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Bali' });
    await add(phoneNo(1), { name: '=HYPERLINK("evil")', var5: 'a, "b"', tags: ['VIP', 'new'], attrs: { city: '+62' }, group_id: group.id });
    await add(phoneNo(2), { name: 'Ben' });
    const whole = await ask(200, 'GET', '/v1/contacts/export');
    assert.deepEqual(whole.split('\n'), [
      '"phone","name","var1","var2","var3","var4","var5","group","tags","attr.city"',
      `"${phoneNo(1)}","'=HYPERLINK(""evil"")","","","","","a, ""b""","Bali","VIP; new","'+62"`,
      `"${phoneNo(2)}","Ben","","","","","","","",""`,
      '',
    ]);
    assert.match(await ask(200, 'GET', '/v1/contacts/export?tag=vip'), /^[^\n]+\n"\d+","'=HYPER[^\n]+\n$/);
    assert.equal((await ask(200, 'GET', '/v1/contacts/export?q=nobody')).trim().split('\n').length, 1);
  });

  it('has an empty cell where a contact lacks an attribute, whatever that is called', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    await ask(201, 'POST', '/v1/attributes', { key: 'constructor' });
    await add(phoneNo(1), { name: 'Anna' });
    const lines = (await ask(200, 'GET', '/v1/contacts/export')).split('\n');
    assert.deepEqual(lines, [
      '"phone","name","var1","var2","var3","var4","var5","group","tags","attr.constructor"',
      `"${phoneNo(1)}","Anna","","","","","","","",""`,
      '',
    ]);
  });
});
