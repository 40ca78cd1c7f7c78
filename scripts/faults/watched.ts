import type { Server, ServerResponse } from 'node:http';
import type { Connection, ConnectionEvent, Network } from '../../actors/network/port.ts';
import type { Doc, Store } from '../../store/port.ts';
import type { Failpoint } from './failpoint.ts';
import { interpose, type Operation } from './interpose.ts';
import type { Point } from './points.ts';

type Step = 'accept' | 'claim' | 'mark' | 'receipt' | 'retake' | 'inbound';

const AROUND: Readonly<Record<Step, readonly [Point, Point]>> = {
  accept: ['before-accept', 'after-accept'],
  claim: ['before-claim', 'after-claim'],
  mark: ['before-mark', 'after-mark'],
  receipt: ['before-receipt', 'after-receipt'],
  retake: ['before-retake', 'after-retake'],
  inbound: ['before-inbound', 'after-inbound'],
};

export function watchedStore(store: Store, failpoint: Failpoint): Store {
  const watched = interpose(store, async (operation, run) => {
    const steps = operation.collection === 'messages' ? messageStepsOf(operation) : [];
    for (const step of steps) failpoint.pass(AROUND[step][0]);
    const result = await run();
    for (const step of steps) failpoint.pass(AROUND[step][1]);
    return result;
  });
  return asOne(store, watched);
}

/** Uses the original store for batches, because a batch must remain one write. */
export function asOne(store: Store, watched: Store): Store {
  const { together, soon } = store;
  return { ...watched, ...(together && { together: together.bind(store) }), ...(soon && { soon: soon.bind(store) }) };
}

export function messageStepsOf(operation: Operation): readonly Step[] {
  const step = messageStepOf(operation);
  const set = operation.update?.$set;
  if (step === 'receipt' && set && 'processed' in set && typeof set['sent_at'] === 'number') return ['mark', step];
  return step ? [step] : [];
}

export function messageStepOf({ name, filter, update, docs }: Operation): Step | null {
  if (name === 'insertOne') return directionOf(docs?.[0]) === 'inbound' ? 'inbound' : 'accept';
  if (name !== 'updateOne' && name !== 'updateMany') return null;
  switch (update?.$set?.['status']) {
    case 'sending':
      return 'claim';
    case 'sent':
      return 'mark';
    case 'delivered':
    case 'read':
      return 'receipt';
    default:
      return filter?.['status'] === 'sending' && update?.$inc ? 'retake' : null;
  }
}

const directionOf = (doc: Doc | undefined): unknown => (doc && 'direction' in doc ? doc.direction : undefined);

/** Passes `written` points in `setImmediate`, which runs after the data has been sent. */
export function watchedNetwork(network: Network, failpoint: Failpoint): Network {
  const received = (event: ConnectionEvent): void => {
    if (event.type === 'acked') failpoint.pass('on-ack');
  };
  const written = (point: Point) => void setImmediate(() => failpoint.pass(point));
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, (event) => {
        received(event);
        receive(event);
      });
      return {
        ...boundLine(line),
        send(message, open) {
          failpoint.pass('before-send');
          line.send(message, open);
          written('after-send');
        },
        acknowledge(token) {
          line.acknowledge(token);
          written('after-acknowledge');
        },
      };
    },
  };
}

export function boundLine(line: Connection): Connection {
  return {
    send: (message, open) => line.send(message, open),
    react: (reaction) => line.react(reaction),
    edit: (edit) => line.edit(edit),
    erase: (erasure) => line.erase(erasure),
    markRead: (chat, messages) => line.markRead(chat, messages),
    presence: (chat, state) => line.presence(chat, state),
    acknowledge: (token) => line.acknowledge(token),
    download: (file) => line.download(file),
    pairingCode: (digits) => line.pairingCode(digits),
    lookUp: (digits) => line.lookUp(digits),
    logOut: () => line.logOut(),
    close: () => line.close(),
    ...(line.ask && { ask: line.ask.bind(line) }),
  };
}

export function watchAnswers(listener: Server, failpoint: Pick<Failpoint, 'pass'>): void {
  listener.prependListener('request', (_request, response: ServerResponse) => {
    const end = response.end;
    response.end = new Proxy(end, {
      apply(target, self: ServerResponse, given) {
        if (self.statusCode === 202) failpoint.pass('before-answer');
        return Reflect.apply(target, self, given);
      },
    });
    response.once('finish', () => {
      if (response.statusCode === 202) failpoint.pass('after-answer');
    });
  });
}
