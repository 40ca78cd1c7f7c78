import { systemClock } from '../../runtime/clock.ts';
import { Failure, Operator, operatorSecret } from './cluster/operator.ts';
import { type Order, type Orders, readOrders, USAGE } from './cluster/orders.ts';
import { shownDevices, shownMove, shownMoves, shownNodes, shownState } from './cluster/shown.ts';

const HERE = 'http://127.0.0.1:8080';

async function main(): Promise<void> {
  const orders = readOrders(process.argv.slice(2));
  if (orders.order.do === 'help') return say(USAGE);
  const operator = new Operator(
    orders.url ?? (process.env['GATEWAY_URL'] || HERE),
    operatorSecret(process.env),
    process.env['ADMIN_SESSION'] || null,
  );
  say(await carriedOut(operator, orders.order, orders));
}

async function carriedOut(operator: Operator, order: Exclude<Order, { do: 'help' }>, { isJson }: Orders): Promise<string> {
  const answer = <T>(found: T, show: (found: T) => string): string => (isJson ? JSON.stringify(found, null, 2) : show(found));
  switch (order.do) {
    case 'nodes':
      return answer(await operator.nodes(), (nodes) => shownNodes(nodes, systemClock.now()));
    case 'devices':
      return answer(await operator.devices(), shownDevices);
    case 'sign-in':
      return answer(await operator.verify(order.code), ({ session }) => session);
    case 'drain':
      return answer(await operator.drain(order.node), shownState);
    case 'undrain':
      return answer(await operator.undrain(order.node), shownState);
    case 'move':
      return answer(await operator.move(order.device, order.node), (move) => shownMove(move, order.node !== null));
    case 'rebalance':
      return answer(await operator.rebalance(order.dryRun), (moves) => shownMoves(moves, order.dryRun));
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

await main().catch((cause: unknown) => {
  if (!(cause instanceof Failure)) throw cause;
  process.stderr.write(`${cause.message}\n`);
  process.exitCode = cause.exitCode;
});
