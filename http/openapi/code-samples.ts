export interface Sample {
  readonly method: string;
  readonly url: string;
  /**
   * Null if the endpoint needs no credentials. `variable` is the name of the variable with the
   * header's value.
   */
  readonly credential: readonly [name: string, variable: string] | null;
  readonly body: unknown;
}

export function samplesOf(sample: Sample): readonly (readonly [language: string, code: string])[] {
  return [
    ['curl', curl(sample)],
    ['TypeScript', typescript(sample)],
    ['Python', python(sample)],
    ['PHP', php(sample)],
  ];
}

const credentialText = ([name, variable]: readonly [string, string], of: (variable: string) => string): string =>
  name === 'Authorization' ? `Bearer ${of(variable)}` : of(variable);

function curl({ method, url, credential, body }: Sample): string {
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`];
  if (credential) parts.push(`-H "${credential[0]}: ${credentialText(credential, (name) => `$${name}`)}"`);
  if (body !== undefined) parts.push(`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return parts.join(' \\\n  ');
}

function typescript({ method, url, credential, body }: Sample): string {
  const headers = [
    ...(credential ? [`${JSON.stringify(credential[0])}: \`${credentialText(credential, (name) => `\${process.env.${name}}`)}\``] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: "${method}"`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body, null, 2)})`]),
  ];
  const given = options.length > 0 ? `, {\n  ${options.join(',\n  ')},\n}` : '';
  return `const response = await fetch("${url}"${given});\nconsole.log(response.status, await response.text());`;
}

function python({ method, url, credential, body }: Sample): string {
  const headers = [
    ...(credential ? [`"${credential[0]}": ${credential[0] === 'Authorization' ? '"Bearer " + ' : ''}os.environ["${credential[1]}"]`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const parts = [
    `"${url}"`,
    `method="${method}"`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode()`]),
  ];
  return `import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    ${parts.join(',\n    ')},\n)\nprint(urllib.request.urlopen(request).read().decode())`;
}

function php({ method, url, credential, body }: Sample): string {
  const headers = [
    ...(credential ? [`'${credential[0]}: ${credential[0] === 'Authorization' ? 'Bearer ' : ''}' . getenv('${credential[1]}')`] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ];
  const escaped = JSON.stringify(body)?.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const options = [
    `'method' => '${method}'`,
    ...(headers.length > 0 ? [`'header' => [${headers.join(', ')}]`] : []),
    ...(body === undefined ? [] : [`'content' => '${escaped}'`]),
  ];
  return `<?php\necho file_get_contents('${url}', false, stream_context_create(['http' => [\n    ${options.join(',\n    ')},\n]]));`;
}
