import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { browserZone } from '../../state/zone.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Bar } from '../../ui/bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { agoText, lengthText, numberText, percentText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

type Node = Schemas['Node'];

const LOOK_MS = 2_000;
/** A node whose heartbeat is this far behind the newest one has stopped or lost contact. */
const SILENT_MS = 15_000;

export function Nodes(): JSX.Element {
  const t = words();
  const nodes = useResource('nodes', (signal) => call('listNodes', {}, { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.hidden || nodes.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="stack" aria-label={t.nodes}>
      <Loaded of={nodes}>
        {({ nodes: list }) => {
          const latest = Math.max(...list.map(({ heartbeat_at }) => heartbeat_at));
          const devices = list.reduce((total, one) => total + one.devices, 0);
          const most = Math.max(...list.map(({ load }) => load));
          return (
            <>
              <p class="soft">{t.nodesAbout(list.length, devices, numberText(devices))}</p>
              <ul class="nodes">
                {[...list.filter(isDraining), ...list.filter((one) => !isDraining(one))].map((node) => (
                  <Card
                    key={node.id}
                    node={node}
                    mostLoad={most}
                    isSilent={latest - node.heartbeat_at > SILENT_MS}
                    hasOthers={list.some(({ id, state }) => id !== node.id && state === 'active')}
                    onChange={nodes.reload}
                  />
                ))}
              </ul>
              <p class="small meta">{t.loadAbout}</p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

const isDraining = ({ state }: Node): boolean => state === 'draining';

interface CardProps {
  readonly node: Node;
  readonly mostLoad: number;
  readonly isSilent: boolean;
  readonly hasOthers: boolean;
  readonly onChange: () => void;
}

function Card({ node, mostLoad, isSilent, hasOthers, onChange }: CardProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const isOut = isDraining(node);
  const had = useRef(node.devices);
  if (!isOut) had.current = node.devices;
  const nodeId = node.id;
  const turn = (): Promise<void> =>
    acting.run(async () => {
      await (isOut ? call('undrainNode', { params: { nodeId } }) : call('drainNode', { params: { nodeId } }));
      onChange();
    });
  const figures = [
    [t.devicesOf, node.devices],
    [t.campaigns, node.blasts],
    [t.load, node.load],
  ] as const;
  return (
    <li
      class={['card node', isOut && 'is-draining', isSilent && 'is-silent'].filter(Boolean).join(' ')}
      data-testid="node-row"
      data-node-id={nodeId}
      data-state={node.state}
      data-devices={node.devices}
    >
      <div class="card-head">
        <h2 class="breaks">{nodeId}</h2>
        {isSilent ? <Badge tone="bad" text={t.silent} /> : <Badge tone={isOut ? 'warn' : 'good'} text={t.states[node.state]} />}
        <button
          type="button"
          class="button slim"
          data-testid={isOut ? 'node-undrain' : 'node-drain'}
          aria-label={isOut ? t.undrainOf(nodeId) : t.drainOf(nodeId)}
          disabled={acting.isBusy.value}
          onClick={turn}
        >
          {isOut && <Icon name="retry" small />}
          {isOut ? t.undrain : t.drain}
        </button>
      </div>
      <p class="small meta breaks" title={whenText(node.started_at, browserZone)}>
        {t.address(node.address, lengthText(Math.max(0, Date.now() - node.started_at)))}
      </p>
      <dl class="node-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{numberText(value)}</dd>
          </div>
        ))}
      </dl>
      {!isOut && <Bar value={node.load} max={mostLoad} />}
      {node.store !== null && node.store !== 'answers' && <p class="notice warn small">{t.stores[node.store]}</p>}
      {acting.error.value && <Failure error={acting.error.value} onRetry={turn} />}
      {isOut && <Draining node={node} had={had.current} hasOthers={hasOthers} />}
      <p class="tiny meta">{t.heartbeat(agoText(node.heartbeat_at, Date.now()))}</p>
    </li>
  );
}

interface DrainingProps extends Pick<CardProps, 'node' | 'hasOthers'> {
  /** Number of devices when draining began, or when this page was opened if that was later. */
  readonly had: number;
}

function Draining({ node, had, hasOthers }: DrainingProps): JSX.Element {
  const t = words();
  const begun = Math.max(had, node.devices);
  const moved = begun - node.devices;
  const isSenderLeft = node.devices === 0 && node.load > 0;
  const isEmpty = node.devices === 0 && node.blasts === 0 && !isSenderLeft;
  const steps = [
    { text: t.noNewDevices, isDone: true },
    { text: node.devices === 0 ? t.devicesMoved : t.devicesLeft(node.devices, numberText(node.devices)), isDone: node.devices === 0 },
    { text: node.blasts === 0 ? t.noCampaigns : t.campaignsLeft(node.blasts, numberText(node.blasts)), isDone: node.blasts === 0 },
    ...(isSenderLeft ? [{ text: t.senderLeft, isDone: false }] : []),
    { text: t.safe, isDone: isEmpty },
  ];
  const current = steps.findIndex(({ isDone }) => !isDone);
  return (
    <div class="stack-small">
      <div class="row apart small" role="status">
        <strong>{isEmpty ? t.nothingLeft(node.id) : t.moved(numberText(moved), numberText(begun))}</strong>
        {!isEmpty && begun > 0 && <span class="figures">{percentText(Math.floor((100 * moved) / begun) / 100)}</span>}
      </div>
      <Bar value={isEmpty ? 1 : moved} max={isEmpty ? 1 : begun} tone={isEmpty ? 'good' : 'warn'} />
      <ol class="drain-steps small">
        {steps.map(({ text, isDone }, nth) => (
          <li key={text} class={isDone ? 'is-done' : nth === current ? 'is-current' : ''}>
            <Icon name={isDone ? 'done' : nth === current ? 'turning' : 'todo'} small />
            {text}
          </li>
        ))}
      </ol>
      {!(isEmpty || hasOthers) && <p class="notice warn small">{t.nowhere}</p>}
    </div>
  );
}
