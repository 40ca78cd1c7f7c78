export interface Access {
  readonly url: string;
  readonly authorization: string;
  /** `/v1/sessions/{id}` of a device that is online only according to its row. */
  readonly device: string;
}

export interface Customer {
  readonly device: string;
  call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer> | object, type?: string): Promise<CustomerAnswer>;
}

export interface CustomerAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes; each pool knows its own
  readonly body: any;
}

export interface Scene {
  readonly many: number;
  /**
   * Address of a file server. A path that is a number delays the file by that many ms. Requests for
   * any other path are never answered.
   */
  readonly files: string;
}

export const customerWith = ({ url, authorization, device }: Access): Customer => ({
  device,
  async call(method, path, body, type = 'application/json') {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
    const headers = { authorization, ...(body !== undefined && { 'content-type': type }) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  },
});
