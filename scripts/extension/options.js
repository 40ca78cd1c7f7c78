import { keepAddresses, knownAddresses, originOf } from './addresses.js';

const [list, form, field, said] = ['addresses', 'add', 'address', 'said'].map((id) => document.getElementById(id));

async function show() {
  const addresses = await knownAddresses();
  list.replaceChildren(...addresses.map((address) => lineOf(address, addresses)));
}

function lineOf(address, all) {
  const remove = Object.assign(document.createElement('button'), { textContent: 'Remove', type: 'button' });
  remove.addEventListener('click', async () => {
    await keepAddresses(all.filter((one) => one !== address));
    await show();
  });
  const line = document.createElement('li');
  line.append(address, ' ', remove);
  return line;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const origin = originOf(field.value);
  if (origin === null) {
    said.textContent = 'Only https addresses, and this machine. Nothing was added.';
    return;
  }
  const isAllowed = await chrome.permissions.request({ origins: [`${new URL(origin).protocol}//${new URL(origin).hostname}/*`] });
  if (!isAllowed) {
    said.textContent = 'The browser was not allowed to reach that address. Nothing was added.';
    return;
  }
  await keepAddresses([...new Set([...(await knownAddresses()), origin])]);
  said.textContent = `${origin} was added.`;
  field.value = '';
  await show();
});

await show();
