import { Link } from '../../scripts/chaos/link.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { aDatabase, type Scope, type StoreKind } from './stores.ts';

/** Whoever waits for that waits until the story ends it. */
const PATIENCE_MS = 10 * 60_000;

/** MongoDB behind a line that a story can cut; it counts as away once it has not been found for `answersWithinMs`, in real time. */
export async function aCuttableStore(scope: Scope, answersWithinMs: number): Promise<{ readonly link: Link; readonly kind: StoreKind }> {
  const url = new URL(aDatabase(scope));
  const link = await Link.to({ host: url.hostname, port: Number(url.port || 27_017) });
  // A story that fails before it mends the line stops its gateway all the same.
  scope.after(() => link.mend());
  url.host = `127.0.0.1:${link.port}`;
  url.searchParams.set('directConnection', 'true');
  const kind: StoreKind = {
    name: 'mongodb',
    async fresh(own) {
      own.after(() => link.close());
      const store = await openMongo({ url: url.href, answersWithinMs, patienceMs: PATIENCE_MS });
      own.after(() => store.close());
      return store;
    },
  };
  return { link, kind };
}
