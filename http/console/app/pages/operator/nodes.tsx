import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { agoText, numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Node = Schemas['Node'];

const LOOK_MS = 2_000;

/** The nodes as they are now, looked at again and again; each can be drained and taken back. */
export function Nodes(): JSX.Element {
  const t = words();
  const nodes = useResource('nodes', (signal) => call('listNodes', {}, { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.hidden || nodes.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="stack">
      <h2>{t.nodes}</h2>
      <Loaded of={nodes}>
        {({ nodes: list }) => (
          <ul class="list">
            {list.map((node) => (
              <Row
                key={node.id}
                node={node}
                hasOthers={list.some(({ id, state }) => id !== node.id && state === 'active')}
                onChange={nodes.reload}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

interface RowProps {
  readonly node: Node;
  /** There is a node that its devices can move to. */
  readonly hasOthers: boolean;
  readonly onChange: () => void;
}

function Row({ node, hasOthers, onChange }: RowProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const isDraining = node.state === 'draining';
  const had = useRef(node.devices);
  if (!isDraining) had.current = node.devices;
  const nodeId = node.id;
  const turn = (): Promise<void> =>
    acting.run(async () => {
      await (isDraining ? call('undrainNode', { params: { nodeId } }) : call('drainNode', { params: { nodeId } }));
      onChange();
    });
  return (
    <li data-testid="node-row" data-node-id={nodeId} data-state={node.state} data-devices={node.devices}>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{nodeId}</strong>
          <p class="soft small figures">{t.facts(numberText(node.devices), numberText(node.blasts), numberText(node.load))}</p>
          <p class="soft small breaks">
            {node.address} · {t.heartbeat(agoText(node.heartbeat_at, Date.now()))}
          </p>
        </div>
        <Badge tone={isDraining ? 'warn' : 'good'} text={t.states[node.state]} />
        <button
          type="button"
          class="button slim"
          data-testid={isDraining ? 'node-undrain' : 'node-drain'}
          aria-label={isDraining ? t.undrainOf(nodeId) : t.drainOf(nodeId)}
          disabled={acting.isBusy.value}
          onClick={turn}
        >
          {isDraining ? t.undrain : t.drain}
        </button>
      </div>
      {acting.error.value && <Failure error={acting.error.value} onRetry={turn} />}
      {isDraining && <Draining node={node} had={had.current} hasOthers={hasOthers} />}
    </li>
  );
}

interface DrainingProps extends Omit<RowProps, 'onChange'> {
  /** So many devices were on it before, as far as this page saw. */
  readonly had: number;
}

/** What is left on it. */
function Draining({ node, had, hasOthers }: DrainingProps): JSX.Element {
  const t = words();
  const begun = Math.max(had, node.devices);
  const left = numberText(node.devices);
  const isEmpty = node.devices === 0 && node.blasts === 0 && node.load === 0;
  const devicesLeft = begun > node.devices ? t.left(left, numberText(begun)) : t.leftOnly(left);
  return (
    <div class="line drain" role="status">
      <p class="small">
        {isEmpty ? t.empty : node.devices === 0 && node.load > 0 ? t.senderLeft : devicesLeft}
        {node.blasts > 0 && ` ${t.campaignsLeft(numberText(node.blasts))}`}
        {!isEmpty && !hasOthers && ` ${t.nowhere}`}
      </p>
      {begun > 0 && <progress aria-hidden="true" max={begun} value={begun - node.devices} />}
    </div>
  );
}
