import { connect } from 'node:net';
import { setPriority } from 'node:os';

/*
 * Sends what it is told to, and reads nothing of what comes back. A process of its own, and a patient one: an attacker
 * has a machine of its own, and what is measured is the server.
 */

setPriority(10);

process.on('message', (strikes) => {
  for (const strike of strikes) attack(strike);
});

function attack({ port, count, head, filler, bytes, times, again }) {
  const request = Buffer.from(
    head + filler.repeat(Math.ceil(bytes / Math.max(1, filler.length))).slice(0, bytes),
  );
  const sent = Buffer.concat(Array.from({ length: times }, () => request));
  const open = () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // to be cut off is what is expected
    if (again) socket.resume().once('close', () => setTimeout(open, 20));
    else socket.pause();
    socket.write(sent);
  };
  for (let n = 0; n < count; n += 1) open();
}
