/** The parsed output of /metrics. */
export interface Scrape {
  readonly text: string;
  readonly types: ReadonlyMap<string, string>;
  /** All series by their written names, without values. */
  readonly series: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  /** Returns the value of the series with these labels; NaN if it does not exist. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Returns the sum over all series with this name. */
  sum(name: string): number;
}

/** Requests a node's metrics as Prometheus does. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  return scrapeOf(await response.text());
}

function scrapeOf(text: string): Scrape {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const series = [...text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of])),
    value: Number(value),
  }));
  const isOf = (own: Readonly<Record<string, string>>, asked: Readonly<Record<string, string>>): boolean =>
    Object.keys(own).length === Object.keys(asked).length && Object.entries(asked).every(([key, value]) => own[key] === value);
  return {
    text,
    types,
    series,
    value: (name, labels = {}) => series.find((one) => one.name === name && isOf(one.labels, labels))?.value ?? Number.NaN,
    sum: (name) => series.filter((one) => one.name === name).reduce((sum, { value }) => sum + value, 0),
  };
}
