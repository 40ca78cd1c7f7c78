import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inOrder, type Note } from '../../../../../../http/console/app/pages/inbox/rows-of.ts';
import type { Entry } from '../../../../../../http/console/app/pages/inbox/thread.ts';
import { initialsOf, markOf } from '../../../../../../http/console/app/ui/initials.ts';
import { phoneText } from '../../../../../../http/console/app/words/phone.ts';

const NOON = new Date(2026, 10, 29, 12).getTime();
const HOUR = 3_600_000;

const entry = (id: string, created_at: number): Entry => ({
  ...{ id, created_at, session_id: 's', chat_id: 'c', direction: 'inbound', message_type: 'text', body: id, media_r2_key: null },
  status: 'delivered',
});
const note = (id: string, created_at: number | null): Note => ({ id, created_at, text: id, author: null });
const seen = (rows: ReturnType<typeof inOrder>): readonly string[] =>
  rows.map((row) => {
    if (row.is === 'day') return `— ${new Date(row.at).getDate()}`;
    if (row.is === 'cleared') return 'emptied';
    return row.is === 'note' ? `note ${row.note.id}` : row.entry.id;
  });

it('a chat shows notes between its messages, and a separator before each day', () => {
  const entries = [entry('first', NOON - 25 * HOUR), entry('second', NOON - HOUR), entry('third', NOON)];
  const notes = [note('old', NOON - 48 * HOUR), note('between', NOON - HOUR / 2), note('no time', null)];
  assert.deepEqual(seen(inOrder(entries, notes, false, null)), [
    ...['note no time', '— 28', 'first', '— 29', 'second', 'note between', 'third'],
  ]);
  assert.deepEqual(seen(inOrder(entries, notes, true, null)).slice(0, 3), ['note no time', '— 27', 'note old']);
  assert.deepEqual(inOrder([], [], true, NOON), []);
});

it('a chat shows when it was cleared on the phone, once the messages around that time are loaded', () => {
  const entries = [entry('first', NOON - 3 * HOUR), entry('second', NOON)];
  assert.deepEqual(seen(inOrder(entries, [], true, NOON - HOUR)), ['— 29', 'first', 'emptied', 'second']);
  assert.deepEqual(seen(inOrder(entries, [], false, NOON - 5 * HOUR)), ['— 29', 'first', 'second']);
});

it('an avatar shows initials for a contact with a name, but not for a number', () => {
  const names = ['Ratna Dewi', 'Maximiliane von der Hadiwijaya', 'فاطمة الزهراء', '+62 812', '', '😀 Bakery', 'x'];
  assert.deepEqual(names.map(initialsOf), ['RD', 'MH', 'فا', '', '', 'B', 'X']);
  assert.deepEqual(['Kasir 2', 'K', '…'].map(markOf), ['K2', 'K', '?']);
});

it('a phone number is shown as its calling code and groups of digits', () => {
  const numbers = ['6281234567801', '14155550123', '442079460000', '35312345678', '628', '62'];
  assert.deepEqual(numbers.map(phoneText), ['+62 812 3456 7801', '+1 415 5550 123', '+44 207 9460 000', '+353 123 45678', '+62 8', '+62']);
});
