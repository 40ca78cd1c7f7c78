import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Store } from '../../../store/port.ts';
import { interpose, type Operation } from '../interpose.ts';
import { asOne, messageStepOf, messageStepsOf } from '../watched.ts';
import type { Failpoint } from './failpoint.ts';

const READS = /^(find|findOne|countDocuments|ping|sweep)$/;
const READ = 'read';

export function watchedStore(store: Store, failpoint: Failpoint): Store {
  return asOne(
    store,
    interpose(store, (operation, run) => failpoint.around(stepsOf(operation), run)),
  );
}

function stepsOf(operation: Operation): readonly string[] {
  if (isHolding(operation)) return ['hold'];
  const steps = operation.collection === 'messages' ? messageStepsOf(operation) : [];
  return steps.length > 0 ? steps : [stepOf(operation)];
}

/** Returns `accept`, `claim`, … for messages; steps without a name are `<collection>.<operation>`. */
export function stepOf(operation: Operation): string {
  const { collection, name } = operation;
  if (READS.test(name)) return READ;
  if (collection === 'messages') return messageStepOf(operation) ?? (isSettling(operation) ? 'settle' : `messages.${name}`);
  if (collection === 'credentials' && name === 'updateOne') return 'secrets';
  if (collection === 'keys') return operation.docs?.some(({ _id }) => String(_id).includes('/pre-key/')) ? 'pre-keys' : 'settled-secrets';
  return `${collection}.${name}`;
}

/** Whether the write puts a temporarily refused message back into the queue. */
const isHolding = ({ collection, update }: Operation): boolean => collection === 'messages' && Boolean(update?.$set?.['backoff']);

const isSettling = ({ update }: Operation): boolean => update?.$set?.['outbox_pending'] === false;

export function watchFiles(failpoint: Failpoint): void {
  const { rename } = files;
  files.rename = (from, to) => failpoint.around(['file'], () => rename(from, to));
  syncBuiltinESMExports();
}
