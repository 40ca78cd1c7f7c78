import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

eachStore('a contact export', (kind) => {
  it('contains all fields of the selected contacts, in a form that is safe to open as a spreadsheet', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Bali' });
    await add(phoneNo(1), { name: '=HYPERLINK("evil")', var5: 'a, "b"', tags: ['VIP', 'new'], attrs: { city: '+62' }, group_id: group.id });
    await add(phoneNo(2), { name: 'Ben' });
    const whole = await ask(200, 'GET', '/v1/contacts/export');
    assert.deepEqual(whole.split('\n'), [
      '"phone","name","var1","var2","var3","var4","var5","group","tags","attr.city","lid","username"',
      `"+${phoneNo(1)}","'=HYPERLINK(""evil"")","","","","","a, ""b""","Bali","VIP; new","'+62","",""`,
      `"+${phoneNo(2)}","Ben","","","","","","","","","",""`,
      '',
    ]);
    assert.match(await ask(200, 'GET', '/v1/contacts/export?tag=vip'), /^[^\n]+\n"\+\d+","'=HYPER[^\n]+\n$/);
    assert.equal((await ask(200, 'GET', '/v1/contacts/export?q=nobody')).trim().split('\n').length, 1);
  });

  it('can be imported again with the same names and tags', async (t) => {
    const [from, to] = [await anAddressBook(t, kind), await anAddressBook(t, kind)];
    const names = ['=HYPERLINK(1)', "'t Hart", "'=x", '-5', '@a', '+62', '"q"', 'two\nlines', 'plain'];
    const tags = [['a;b', 'c,d'], ['["x"]'], ['VIP', 'new'], ['e:::f'], ['"quoted"'], ['g|h']];
    for (const [nth, name] of names.entries()) await from.add(phoneNo(nth), { name, tags: tags[nth] ?? [], attrs: { city: '=A1' } });
    const file = await from.ask(200, 'GET', '/v1/contacts/export');
    const { id } = await to.ask(202, 'POST', '/v1/contacts/import', file, { 'content-type': 'text/csv' });
    const { created, invalid } = await to.done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([created, invalid], [names.length, 0]);
    const told = async ({ ask }: typeof from): Promise<unknown> => {
      const { contacts } = await ask(200, 'GET', '/v1/contacts?limit=50');
      const all: readonly { phone: string; name: string; tags: string[]; attrs: object }[] = contacts;
      const plain = all.map(({ phone, name, tags, attrs }) => ({ phone, name, tags: tags.toSorted(), attrs }));
      return plain.toSorted((one, other) => one.phone.localeCompare(other.phone));
    };
    assert.deepEqual(await told(to), await told(from));
  });

  it("has an empty cell for a missing attribute, whatever the attribute's name is", async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    await ask(201, 'POST', '/v1/attributes', { key: 'constructor' });
    await add(phoneNo(1), { name: 'Anna' });
    const lines = (await ask(200, 'GET', '/v1/contacts/export')).split('\n');
    assert.deepEqual(lines, [
      '"phone","name","var1","var2","var3","var4","var5","group","tags","attr.constructor","lid","username"',
      `"+${phoneNo(1)}","Anna","","","","","","","","","",""`,
      '',
    ]);
  });
});
