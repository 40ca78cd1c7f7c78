import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../../scripts/faults/replacing-store.ts';
import { officialMonthsIn } from '../../../store/devices/official-months.ts';
import { eachStore } from '../../support/stores.ts';

const OF = { tenantId: 't', sessionId: 's' };
const NOW = 1_796_000_000_000;
const idOf = (nth: number): string => `01K${String(nth).padStart(23, '0')}`;

eachStore('paid automatic replies from an official number', (kind) => {
  it('need no more operations each when many are sent at once, and are counted only once', async (t) => {
    let operations = 0;
    const store = replacingStore(await kind.fresh(t), (name, raw) => {
      if (name !== 'official_months') return {};
      const counted =
        <A extends unknown[], R>(work: (...asked: A) => R) =>
        (...asked: A): R => {
          operations += 1;
          return work(...asked);
        };
      return {
        updateOne: counted(raw.updateOne.bind(raw)),
        findOne: counted(raw.findOne.bind(raw)),
        findOneAndUpdate: counted(raw.findOneAndUpdate.bind(raw)),
      };
    });
    const months = officialMonthsIn(store);
    const takesAll = async (from: number, many: number, limit: number) => {
      const ids = Array.from({ length: many }, (_, nth) => idOf(from + nth));
      const taken = await Promise.all(ids.map((id, nth) => months.takeReply(OF, id, limit, NOW + from + nth)));
      return taken.filter((isTaken) => isTaken).length;
    };
    assert.equal(await takesAll(0, 10, 1_000), 10);
    const ofTen = operations;
    assert.equal(await takesAll(10, 80, 1_000), 80);
    assert.ok(operations <= ofTen * 9, `${operations - ofTen} operations for 80 replies, ${ofTen} for 10`);
    // Repeated after a crash, they are allowed and not counted; 10 more are all that the limit allows.
    assert.equal(await takesAll(0, 90, 100), 90);
    assert.equal(await takesAll(90, 80, 100), 10);
    assert.equal(await months.takeReply(OF, null, 100, NOW), false);
  });

  it('are recognized as repeated only if their ids are among the latest ones', async (t) => {
    const store = await kind.fresh(t);
    const months = officialMonthsIn(store);
    for (let nth = 0; nth < 250; nth += 1) assert.ok(await months.takeReply(OF, idOf(nth), 250, NOW + nth));
    const recent = Object.keys(
      (await store.collection<{ _id: string; recent: object }>({ name: 'official_months', indexes: [] }).findOne({}))!.recent,
    );
    assert.ok(recent.length >= 100 && recent.length <= 200, `${recent.length}`);
    assert.deepEqual([await months.takeReply(OF, idOf(249), 250, NOW), await months.takeReply(OF, idOf(0), 250, NOW)], [true, false]);
  });

  it('are rejected if their record was deleted together with its tenant in the meantime', async (t) => {
    const store = replacingStore(await kind.fresh(t), (name, raw) =>
      name === 'official_months'
        ? {
            async findOneAndUpdate(...asked) {
              await raw.deleteMany({});
              return raw.findOneAndUpdate(...asked);
            },
          }
        : {},
    );
    assert.equal(await officialMonthsIn(store).takeReply(OF, idOf(1), 10, NOW), false);
  });
});
