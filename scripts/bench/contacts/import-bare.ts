import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { systemClock } from '../../../runtime/clock.ts';
import { type ContactRow, contactsIn } from '../../../store/contacts/contacts.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { scratchDirectory } from '../scratch.ts';
import { watched } from './loop-watch.ts';
import { contactOf, csvOf } from './rows.ts';

/** This lower bound excludes number validation, contact lookups and consent records. */
const count = Number(process.argv[2]);
const BATCH_SIZE = 200;

const store = openEmbedded({ path: `${scratchDirectory()}/gateway.db` });
const contacts = contactsIn(store);
await store.prepare();
const ids = { tag: (name: string): string => name, city: 'city' };

const figures = await watched(count, async () => {
  let rows: ContactRow[] = [];
  for await (const [phone, name, tags, city] of Readable.from(csvOf(count)).pipe(parse({ from_line: 2 }))) {
    const one = { phone: phone.slice(1), name, tags: tags ? tags.split(';') : [], city };
    rows.push(contactOf('bench', one, ids, systemClock.now()));
    if (rows.length < BATCH_SIZE) continue;
    await contacts.addMany(rows);
    rows = [];
  }
  await contacts.addMany(rows);
});
console.log(JSON.stringify(figures));
await store.close();
