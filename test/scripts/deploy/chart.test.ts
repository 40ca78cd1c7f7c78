import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { memberOf } from '../../../runtime/shapes.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'scripts/deploy/helm');
const TOOLS = join(ROOT, 'scripts/chart-tools/node_modules');

const helm = (args: readonly string[]) => spawnSync('helm', args, { encoding: 'utf8', env: { ...process.env, HELM_NO_PLUGINS: '1' } });
const isThere = helm(['version']).status === 0;
/** Why the chart is not rendered, which is printed too; CI has both programs. */
const skip = isThere && existsSync(TOOLS) ? false : 'helm or scripts/chart-tools is not installed';
if (skip) console.log(`${skip}: the tests of the chart are left out.`);

const ONE = ['existingSecret=keys'];
const STORES = ['store.mongodb=true', 'store.redis=true', 'network=whatsapp'];
const CLUSTER = [...ONE, ...STORES, 'replicas=3', 's3Bucket=files'];
const INGRESS = ['ingress.enabled=true', 'ingress.host=gateway.example.com'];

const asArgs = (values: readonly string[]): readonly string[] => values.flatMap((one) => ['--set', one]);

type Resource = Readonly<Record<string, unknown>>;

function rendered(values: readonly string[]): ReadonlyMap<string, Resource> {
  const { status, stdout, stderr } = helm(['template', 'shop', CHART, ...asArgs(values)]);
  assert.equal(status, 0, stderr);
  const all: Resource[] = parseAllDocuments(stdout).flatMap((one) => one.toJS() ?? []);
  return new Map(all.map((one) => [`${one['kind']} ${memberOf(one['metadata'], 'name')}`, one]));
}

const at = (value: unknown, path: string): unknown => path.split('.').reduce<unknown>(memberOf, value);
const of = (all: ReadonlyMap<string, Resource>, name: string, path: string): unknown => at(all.get(name), path);
const POD = 'spec.template.spec';
const env = (all: ReadonlyMap<string, Resource>): readonly unknown[] =>
  Object.values(Object(of(all, 'Deployment shop-gateway', `${POD}.containers.0.env`))).map((one) => memberOf(one, 'name'));

/** The models of Kubernetes' API by version and kind; they throw on a wrong value. */
async function expectValid(all: ReadonlyMap<string, Resource>): Promise<void> {
  for (const [name, one] of all) {
    const version = String(one['apiVersion']);
    const from = version.startsWith('monitoring') ? `@kubernetes-models/prometheus-operator/${version}` : `kubernetes-models/${version}`;
    const models = await import(pathToFileURL(join(TOOLS, from, 'index.js')).href);
    const Model = models[String(one['kind'])] ?? models.default?.[String(one['kind'])];
    assert.ok(Model, `there is no model of ${name}`);
    new Model(one).validate();
  }
}

describe('the Helm chart', { skip }, () => {
  it('passes the Helm linter', () => {
    const { status, stdout, stderr } = helm(['lint', '--strict', CHART, ...asArgs(ONE)]);
    assert.equal(status, 0, stdout + stderr);
  });

  it('renders objects that the Kubernetes API accepts', async () => {
    const sets = [
      ONE,
      CLUSTER,
      [...CLUSTER, ...INGRESS, 'ingress.tlsSecret=tls', 'trustedProxies={10.0.0.0/8}'],
      [...CLUSTER, 'autoscaling.enabled=true', 'serviceMonitor.enabled=true'],
      [...ONE, ...STORES, 'replicas=2', 'persistence.accessMode=ReadWriteMany'],
      [...ONE, 'store.mongodb=true', 'persistence.enabled=false', 'networkPolicy.enabled=false', 'env.LOG_LEVEL=warn'],
    ];
    for (const values of sets) await expectValid(rendered(values));
    await assert.rejects(expectValid(rendered([...ONE, 'service.port=eighty'])), /port/);
  });

  it('runs one node per volume claim, and stops it before its replacement starts', () => {
    const all = rendered(ONE);
    assert.deepEqual(of(all, 'Deployment shop-gateway', 'spec.strategy'), { type: 'Recreate' });
    assert.equal(of(all, 'Deployment shop-gateway', `${POD}.volumes.0.persistentVolumeClaim.claimName`), 'shop-gateway');
    assert.ok(!env(all).includes('TRUSTED_PROXIES') && !env(all).includes('MONGODB_URL'), 'nothing is trusted by default');
    assert.deepEqual(
      [...all.keys()].filter((name) => /Ingress|Disruption|Secret/.test(name)),
      [],
    );
  });

  it('runs a cluster that loses at most one pod at a time, and gives each pod 90 seconds to drain', () => {
    const all = rendered([...CLUSTER, 'autoscaling.enabled=true', 'serviceMonitor.enabled=true']);
    const pod = of(all, 'Deployment shop-gateway', POD);
    assert.equal(at(pod, 'terminationGracePeriodSeconds'), 90);
    assert.deepEqual(
      ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => at(pod, `containers.0.${probe}.httpGet.path`)),
      ['/health', '/health', '/ready'],
    );
    assert.deepEqual(at(pod, 'containers.0.securityContext.capabilities'), { drop: ['ALL'] });
    assert.equal(of(all, 'PodDisruptionBudget shop-gateway', 'spec.maxUnavailable'), 1);
    assert.deepEqual(of(all, 'Deployment shop-gateway', 'spec.strategy.rollingUpdate'), { maxSurge: 1, maxUnavailable: 0 });
    assert.equal(of(all, 'Deployment shop-gateway', 'spec.replicas'), undefined);
    assert.equal(of(all, 'HorizontalPodAutoscaler shop-gateway', 'spec.metrics.0.pods.metric.name'), 'gateway_devices');
    assert.equal(of(all, 'ServiceMonitor shop-gateway', 'spec.endpoints.0.path'), '/metrics');
    assert.deepEqual(of(all, 'NetworkPolicy shop-gateway', 'spec.policyTypes'), ['Ingress', 'Egress']);
    assert.ok(['MONGODB_URL', 'REDIS_URL', 'NODE_ID'].every((name) => env(all).includes(name)));
  });

  it('rejects values that would duplicate devices, lose data or expose the gateway', () => {
    const refused: readonly (readonly [RegExp, readonly string[]])[] = [
      [/existingSecret/, []],
      [/MONGODB_URL/, [...ONE, 'replicas=2']],
      [/MONGODB_URL/, [...ONE, 'autoscaling.enabled=true']],
      [/REDIS_URL/, [...ONE, 'replicas=2', 'store.mongodb=true']],
      [/shared files/, [...ONE, ...STORES, 'replicas=2']],
      [/the sandbox is part of one process/, [...CLUSTER, 'network=sandbox']],
      [/no ingress with the sandbox/, [...ONE, ...INGRESS]],
      [/persistence/, [...ONE, 'persistence.enabled=false']],
      [/TRUSTED_PROXIES/, [...ONE, 'env.TRUSTED_PROXIES=10.0.0.0/8']],
      [/NETWORK does not belong into env/, [...ONE, ...STORES, ...INGRESS, 'env.NETWORK=sandbox']],
      [/NODE_ID does not belong into secretEnv/, [...CLUSTER, 'secretEnv={NODE_ID}']],
      [/replicas/, [...ONE, 'replicas=0']],
    ];
    for (const [why, values] of refused) {
      const { status, stderr } = helm(['template', 'shop', CHART, ...asArgs(values)]);
      assert.notEqual(status, 0, values.join(' '));
      assert.match(stderr, why);
    }
  });
});
