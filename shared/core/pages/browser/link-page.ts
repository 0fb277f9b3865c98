import { byId, isRecord, thrownMessage } from './dom.ts';

/*
 * The page that a link of a mail opens. Its token is in the fragment, which no server sees, and is sent by POST.
 */

const form = byId('link-form', HTMLFormElement);
const button = byId('link-send', HTMLButtonElement);
const password = byId('link-password', HTMLInputElement);
const repeated = byId('link-repeated', HTMLInputElement);
const status = byId('link-status', HTMLElement);

document.documentElement.classList.add('scripted'); // the style hides forms without script
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
if (location.hash !== '') location.replace('#'); // out of the address, the history and screenshots

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void send().catch((error: unknown) => show(thrownMessage(error)));
});
button.disabled = token === '';
if (token === '') show('This address is not complete. Open the link in the mail again.');

async function send(): Promise<void> {
  if (password.value !== repeated.value) {
    show('The passwords are not the same.');
    return;
  }
  button.disabled = true;
  const fields = new URLSearchParams({ token });
  if (password.value !== '') fields.set('password', password.value);
  try {
    const response = await fetch(location.pathname, {
      method: 'POST',
      body: fields,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    if (response.ok) end();
    else show(messageIn(await response.json().catch(() => undefined)));
  } finally {
    button.disabled = false;
  }
}

function end(): void {
  form.hidden = true;
  show(form.dataset.done ?? '');
}

function show(text: string): void {
  status.textContent = text;
}

/** Returns the messages of an error response. */
function messageIn(body: unknown): string {
  const texts = isRecord(body)
    ? Object.values(body)
        .flat()
        .filter((each) => typeof each === 'string')
    : [];
  return texts.length === 0 ? 'That did not work. Try again later.' : texts.join(' ');
}
