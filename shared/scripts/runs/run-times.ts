/** Time after which a run has ended, or its process is dead: on AWS a minute to its start, 330 s, and a margin. */
export const endedMs = 400_000;

/** Time after which a run that could not start is given up. */
export const forgottenMs = 3_600_000;
