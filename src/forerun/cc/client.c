/* forerun cc: asks the resident server to compile, and runs the real compiler where the server cannot.
 *
 * It runs once for each translation unit, so it does nothing that costs: no Python, no search for settings. Beside it
 * lies the file `server`, written by launch.py: the server's name, its folder, Python, the code to start it with, and
 * the files of the package with their times, so that an upgraded package never talks to an old server (some 60 stat
 * calls, .1 ms). Whatever goes wrong ends in the real compiler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 15000, SILENCE_MS = 30000 }; /* the server says every second that it is alive */

extern char **environ;
static char **command, real[PATH_MAX], home[PATH_MAX];
static char *name, *folder, *python, *code, *files;
static struct sockaddr_un place = {.sun_family = AF_UNIX};

static void run_real(const char *why) {
    const char *verbose = getenv("FORERUN_VERBOSE");
    if (why && verbose && !strcmp(verbose, "1")) fprintf(stderr, "forerun: %s; the real compiler runs\n", why);
    execv(real, command);
    fprintf(stderr, "forerun: %s does not run: %s\n", real, strerror(errno));
    exit(127);
}

static int is_this_program(const char *path) {
    struct stat self, other;
    if (stat("/proc/self/exe", &self) || stat(path, &other)) return 0;
    return self.st_ino == other.st_ino && self.st_dev == other.st_dev;
}

/* The compiler as the shell would find it, but never this program: a symlink may bear the compiler's name. */
static int find_real(const char *program) {
    const char *base = strrchr(program, '/'), *path = getenv("PATH");
    if (base && snprintf(real, sizeof real, "%s", program) && !is_this_program(real)) return 1;
    for (program = base ? base + 1 : program; path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
        int length = (int)strcspn(path, ":");
        snprintf(real, sizeof real, "%.*s/%s", length ? length : 1, length ? path : ".", program);
        struct stat found;
        if (!access(real, X_OK) && !stat(real, &found) && S_ISREG(found.st_mode) && !is_this_program(real)) return 1;
    }
    return 0;
}

static int read_config(void) {
    char path[PATH_MAX + 8], **facts[] = {&name, &folder, &python, &code};
    static char config[1 << 18];
    snprintf(path, sizeof path, "%s/server", home);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, config, sizeof config - 1);
    config[got > 0 ? got : 0] = 0;
    if (file >= 0) close(file);
    files = config;
    for (int i = 0; i < 4; i++)
        if (!(*facts[i] = strsep(&files, "\n")) || !files) return 0;
    return 1;
}

static int current(void) {
    struct stat status;
    for (char *entry; (entry = strsep(&files, "\n")) && *entry;) {
        long long seconds = strtoll(entry, &entry, 10), nanoseconds = strtoll(entry, &entry, 10);
        if (!*entry || stat(entry + 1, &status) || status.st_mtim.tv_sec != seconds) return 0;
        if (status.st_mtim.tv_nsec != nanoseconds) return 0;
    }
    return 1;
}

/* Runs Python with the server's code, without the build's pipes: `make | tee` would wait for the server. */
static pid_t start_python(const char *what, int ready) {
    pid_t child = fork();
    if (child) return child;
    char number[16];
    snprintf(number, sizeof number, "%d", ready);
    for (int i = 0, null = open("/dev/null", O_RDWR); i < 1024; i++)
        if (i < 3) dup2(null, i);
        else if (i != ready) close(i);
    setsid();
    if (ready >= 0 && fork()) _exit(0); /* an orphan: nobody has to wait for it */
    if (chdir("/")) _exit(1);
    execl(python, python, "-E", "-P", "-c", code, what, number, home, (char *)NULL);
    _exit(127);
}

/* The package has changed: its new version writes the file anew, and may bring another client. */
static int refresh(char **words) {
    int status = 1;
    pid_t child = start_python("refresh", -1);
    if (child < 0 || waitpid(child, &status, 0) != child || status) return 0;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/forerun-cc", home);
    if (!is_this_program(path)) execv(path, words);
    return read_config();
}

/* Where the server listens: the user's runtime folder, else the cache; a socket's path has room for 107 bytes only. */
static int choose_place(void) {
    struct stat status;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int usable = runtime && *runtime == '/' && !stat(runtime, &status) && status.st_uid == geteuid();
    size_t room = sizeof place.sun_path - 6;
    if (usable && (size_t)snprintf(place.sun_path, room, "%s/forerun/%s", runtime, name) < room) return 1;
    if ((size_t)snprintf(place.sun_path, room, "%s/%s", folder, name) < room) return 1;
    snprintf(place.sun_path, room, "/tmp/forerun-%u", (unsigned)geteuid());
    if (mkdir(place.sun_path, 0700) && errno != EEXIST) return 0;
    if (lstat(place.sun_path, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) return 0;
    return snprintf(place.sun_path, room, "/tmp/forerun-%u/%s", (unsigned)geteuid(), name) > 0;
}

static int try_connect(void) {
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!connect(server, (struct sockaddr *)&place, sizeof place)) return server;
    return close(server), -1;
}

/* Many compilers start at once: the first to hold the lock starts the server, the others find it running. */
static int reach_server(void) {
    int server = try_connect(), pipes[2];
    if (server >= 0) return server;
    char path[sizeof place.sun_path + 8];
    snprintf(path, sizeof path, "%s", place.sun_path);
    *strrchr(path, '/') = 0;
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s.lock", place.sun_path);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX)) return -1;
    if ((server = try_connect()) < 0 && !pipe(pipes)) {
        pid_t child = start_python(place.sun_path, pipes[1]);
        close(pipes[1]);
        struct pollfd ready = {.fd = pipes[0], .events = POLLIN};
        if (child > 0) waitpid(child, NULL, 0);
        poll(&ready, 1, START_MS); /* it ends when the server listens, or has died */
        close(pipes[0]);
        server = try_connect();
    }
    close(lock);
    return server;
}

/* Length; file mode mask, working directory, real compiler, number of arguments, these, the environment. */
static int send_request(int server) {
    char *message = NULL, cwd[PATH_MAX], control[CMSG_SPACE(2 * sizeof(int))] = {0};
    size_t length = 0, sent = 0;
    mode_t mask = umask(0);
    int count = 0;
    while (command[count + 1]) count++;
    umask(mask);
    FILE *body = open_memstream(&message, &length);
    if (!body || !getcwd(cwd, sizeof cwd)) return 0;
    fprintf(body, "    %u%c%s%c%s%c%d%c", (unsigned)mask, 0, cwd, 0, real, 0, count, 0);
    for (char **word = command + 1; *word; word++) fwrite(*word, 1, strlen(*word) + 1, body);
    for (char **word = environ; *word; word++) fwrite(*word, 1, strlen(*word) + 1, body);
    if (fclose(body)) return 0;
    memcpy(message, &(uint32_t){(uint32_t)(length - 4)}, 4);
    struct iovec part = {message, length};
    struct msghdr header = {NULL, 0, &part, 1, control, sizeof control, 0};
    *CMSG_FIRSTHDR(&header) = (struct cmsghdr){CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&header)), (int[2]){1, 2}, 2 * sizeof(int));
    ssize_t got = sendmsg(server, &header, MSG_NOSIGNAL);
    while (got > 0 && (sent += (size_t)got) < length)
        got = send(server, message + sent, length - sent, MSG_NOSIGNAL);
    free(message);
    return sent == length;
}

/* The exit code; or -1: the real compiler must run, -2: the server went away without an answer, -3: it is silent. */
static int wait_answer(int server) {
    unsigned char kind = '.', value;
    struct pollfd ready = {.fd = server, .events = POLLIN};
    while (kind == '.') {
        if (poll(&ready, 1, SILENCE_MS) == 0) return -3;
        if (read(server, &kind, 1) != 1) return -2;
    }
    if (kind != 'D') return -1;
    return read(server, &value, 1) == 1 ? value : -2;
}

int main(int count, char **words) {
    const char *base = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    int linked = strncmp(base, "forerun", 7) != 0, answer = -2;
    command = words + !linked;
    if (count < 2 && !linked) return fputs("forerun: usage: forerun cc COMPILER [OPTION...]\n", stderr), 2;
    if (!find_real(command[0])) return fprintf(stderr, "forerun: no compiler is called %s\n", command[0]), 127;
    if (linked) command[0] = real;
    char **word = command;
    while (*word && strcmp(*word, "-c")) word++;
    if (!*word) run_real(NULL); /* it links, preprocesses, or prints: not worth a round trip */
    if (readlink("/proc/self/exe", home, sizeof home - 1) < 0) run_real("/proc is not mounted");
    *strrchr(home, '/') = 0;
    if (!read_config() || (!current() && !refresh(words))) run_real("the package has moved: run `forerun cc` anew");
    if (!choose_place()) run_real("there is no safe folder for the server's socket");
    for (int attempt = 0; attempt < 2 && answer == -2; attempt++) { /* the first server may just be ending */
        int server = reach_server();
        if (server < 0) run_real("the server does not start: run `forerun doctor`");
        answer = send_request(server) ? wait_answer(server) : -2;
        close(server);
    }
    if (answer >= 0) return answer;
    run_real(answer == -2 ? "the server ended" : answer == -3 ? "the server does not answer" : NULL);
}
