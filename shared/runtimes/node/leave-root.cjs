'use strict';
const nobody = 65534; // also in ../python/privileges.py

/**
 * Makes this process, which was started as root, one of another user of the kernel, permanently and in all threads. It
 * has read its program by then, which may be in a folder that only root may enter. Throws if root cannot do that here.
 */
exports.leaveRoot = () => {
  process.setgroups([]);
  process.setgid(nobody);
  process.setuid(nobody);
  const users = [process.getuid(), process.geteuid(), process.getgid(), process.getegid()];
  if (users.some((each) => each !== nobody)) throw new Error('the process is still root');
};
